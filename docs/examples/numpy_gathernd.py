# numpy_gathernd.py: tensorop check suite --command 'python3 numpy_gathernd.py {cases}' --shrink
import json, pathlib, sys
import numpy as np

folder = pathlib.Path(sys.argv[1])
for line in (folder / "cases.jsonl").read_text().splitlines():
    job = json.loads(line)
    data, indices = (np.load(folder / job[name]) for name in ("data", "indices"))
    try:
        np.save(folder / job["output"], data[tuple(np.moveaxis(indices, -1, 0))])
    except IndexError as error:
        (folder / f"{job['name']}.error").write_text(str(error))
