# torch_gather.py: tensorop check suite --command 'python3 torch_gather.py {cases}' --shrink
import json, pathlib, sys
import numpy as np
import torch

folder = pathlib.Path(sys.argv[1])
for line in (folder / "cases.jsonl").read_text().splitlines():
    job = json.loads(line)
    data, indices = (torch.from_numpy(np.load(folder / job[name])) for name in ("data", "indices"))
    try:
        np.save(folder / job["output"], torch.gather(data, job.get("axis", 0), indices).numpy())
    except (RuntimeError, IndexError) as error:
        (folder / f"{job['name']}.error").write_text(str(error))
