#!/usr/bin/python3
"""A file that is replaced keeps its access control list and the attributes of users; one without a list gets none from
its folder. The lists are written and read here, as the bytes that the kernel takes. A command that may not use its own
temporary folder leaves nothing.

    /usr/bin/python3 tests/base/access_lists.py path/to/tensorop

The last line is "N passed, N failed".
"""

import errno
import functools
import os
import pathlib
import shutil
import stat
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.checker import Checker, run, run_checks

checker = Checker()

ACCESS, DEFAULT = "system.posix_acl_access", "system.posix_acl_default"
USER_OBJ, USER, GROUP_OBJ, MASK, OTHER = 1, 2, 4, 16, 32
NOBODY = 65534
NONE = 0xFFFFFFFF


def acl(*entries):
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)


# The group itself may do nothing; the mode of the group, rw-, is the mask.
OF_NOBODY = acl((USER_OBJ, 6, NONE), (USER, 6, NOBODY), (GROUP_OBJ, 0, NONE), (MASK, 6, NONE), (OTHER, 0, NONE))


def get(path, name):
    try:
        return os.getxattr(path, name)
    except OSError as error:
        if error.errno != errno.ENODATA:
            raise
        return None


def convert(binary, data, path, **options):
    done = run(binary, "convert", data, "-o", path, **options)
    checker.check(f"convert {data} -o {path}", done.returncode == 0, done.stderr)


def keeps(path, access, mode):
    checker.check(f"{path}: access list", get(path, ACCESS) == access, get(path, ACCESS))
    found = stat.S_IMODE(os.stat(path).st_mode)
    checker.check(f"{path}: mode", found == mode, oct(found))


def check_list(name, patch, binary, folder):
    path = folder / name
    convert(binary, "a=[1,2]" if patch else "[1,2]", path)
    os.setxattr(path, ACCESS, OF_NOBODY)
    os.setxattr(path, "user.note", b"mine")
    inode = os.stat(path).st_ino
    convert(binary, "[3,4,5]", f"{path}{patch}")
    checker.check(f"{path}: is another file", os.stat(path).st_ino != inode)
    keeps(path, OF_NOBODY, 0o660)
    checker.check(f"{path}: attribute", get(path, "user.note") == b"mine")


def check_folder(binary, folder):
    """The list of the folder is for new files: the old file was not open to nobody."""
    path = folder / "b.npy"
    convert(binary, "[1,2]", path)
    os.chmod(path, 0o640)
    os.setxattr(folder, DEFAULT, OF_NOBODY)
    convert(binary, "[3,4,5]", path)
    keeps(path, None, 0o640)


def check_other_group(binary, folder):
    """Who cannot give a file to its group gives the new group no more than all others had."""
    if os.geteuid() != 0:
        checker.skip("a file of another group needs root")
        return
    own = shutil.copy(binary, folder / "program")
    path = folder / "c.npy"
    convert(binary, "[1,2]", path)
    os.chmod(path, 0o676)
    os.chown(folder, NOBODY, -1)
    convert(own, "[3,4,5]", path, user=NOBODY, group=NOBODY, extra_groups=[])
    checker.check("the other group", os.stat(path).st_gid == NOBODY)
    keeps(path, None, 0o666)


def tree(folder):
    return sorted(folder.rglob("*"))


def check_no_rights(words, binary, folder):
    """Under umask 777 not even the owner may enter a new folder. Root may, so another user runs the program."""
    own = shutil.copy(binary, folder / "program")
    (folder / "c.jsonl").write_text('{"op":"add","a":1,"b":2,"expect":"new/x.npy"}\n')
    (folder / "temporary").mkdir()
    user = NOBODY if os.geteuid() == 0 else None
    if user:
        for path in [folder] + tree(folder):
            os.chown(path, user, -1)
    before = tree(folder)
    done = run(own, *words, cwd=folder, user=user, umask=0o777,
               env={"TMPDIR": str(folder / "temporary"), "PATH": os.environ["PATH"]})
    checker.check(f"{words}: is refused", done.returncode == 2 and b"Permission denied" in done.stderr + done.stdout, done)
    checker.check(f"{words}: leaves nothing", tree(folder) == before, tree(folder))


def with_lists(body, binary, folder):
    try:
        os.setxattr(folder, DEFAULT, OF_NOBODY)
        os.removexattr(folder, DEFAULT)
    except OSError as error:
        checker.skip(f"the file system has no access control lists: {error}")
        return
    body(binary, folder)


bodies = [functools.partial(check_list, name, patch)
          for name, patch in (("a.npy", ""), ("a.npz", ":a"), ("a.safetensors", ":a"))]
bodies += [check_folder, check_other_group]
bodies = [functools.partial(with_lists, body) for body in bodies]
bodies += [functools.partial(check_no_rights, words)
           for words in (("check", "c.jsonl", "--update"), ("check", "c.jsonl", "--command", "true {cases}"),
                         ("generate", "gather", "-o", "cases"))]
run_checks(checker, *bodies)
