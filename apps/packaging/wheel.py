#!/usr/bin/env python3
"""Makes a Python wheel that carries the program: `pip install FILE` puts it into the `bin` of an environment.

    apps/packaging/wheel.py ARCHIVE FOLDER

ARCHIVE is tensorop-VERSION-linux-MACHINE.tar.gz of the target `package`, with a static program. The wheel in FOLDER has the
archive's program, copyright and time; the same archive gives the same bytes.
"""

import base64
import hashlib
import pathlib
import re
import sys
import tarfile
import time
import zipfile

archive, folder = map(pathlib.Path, sys.argv[1:])
version, machine = re.fullmatch(r"tensorop-(.+)-linux-(\w+)\.tar\.gz", archive.name).groups()
version = version.replace("~dev", ".dev0")
tag = f"py3-none-manylinux_2_17_{machine}"
info = f"tensorop-{version}.dist-info"
licence = pathlib.Path(__file__).with_name("licence.txt").read_text().split("\n")

with tarfile.open(archive) as tar:
    root = tar.getnames()[0].split("/")[0]
    program, notices, page = (tar.extractfile(f"{root}/{name}").read()
                              for name in ("bin/tensorop", "share/doc/tensorop/copyright", "share/man/man1/tensorop.1"))
    date = time.gmtime(tar.getmember(f"{root}/bin/tensorop").mtime)[:6]
summary = re.search(r"^tensorop \\- (.*)$", page.decode(), re.MULTILINE).group(1)

files = {
    f"tensorop-{version}.data/scripts/tensorop": program,
    f"{info}/METADATA": f"""\
Metadata-Version: 2.1
Name: tensorop
Version: {version}
Summary: {summary}
License: {": ".join(line for line in licence if line)}
License-File: copyright
""".encode(),
    f"{info}/WHEEL": f"""\
Wheel-Version: 1.0
Generator: tensorop
Root-Is-Purelib: false
Tag: {tag}
""".encode(),
    f"{info}/copyright": notices,
}
record = "".join(f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()},{len(data)}\n"
                 for name, data in files.items())
files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()

with zipfile.ZipFile(folder / f"tensorop-{version}-{tag}.whl", "w") as wheel:
    for name, data in files.items():
        entry = zipfile.ZipInfo(name, date)
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.create_system = 3
        entry.external_attr = (0o100755 if "/scripts/" in name else 0o100644) << 16
        wheel.writestr(entry, data, compresslevel=9)
