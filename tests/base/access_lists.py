#!/usr/bin/python3
"""A file that is replaced keeps its access control list and the attributes of users; one without a list gets none from
its folder. The lists are written and read here, as the bytes that the kernel takes. A command that may not use its own
temporary folder leaves nothing.

    /usr/bin/python3 tests/base/access_lists.py path/to/tensorop

The last line is "N passed, N failed".
"""

import errno
import os
import shutil
import stat
import struct
import subprocess
import sys
import tempfile

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


def run(binary, *words):
    subprocess.run([binary, *words], check=True, stderr=subprocess.DEVNULL)


def check_list(binary, folder, name, *patch):
    path = os.path.join(folder, name)
    run(binary, "convert", "a=[1,2]" if patch else "[1,2]", "-o", path)
    os.setxattr(path, ACCESS, OF_NOBODY)
    os.setxattr(path, "user.note", b"mine")
    inode = os.stat(path).st_ino
    run(binary, "convert", "[3,4,5]", "-o", path + "".join(patch))
    assert os.stat(path).st_ino != inode, "the file was not replaced"
    assert get(path, ACCESS) == OF_NOBODY, get(path, ACCESS)
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o660
    assert get(path, "user.note") == b"mine"


def check_folder(binary, folder, name):
    """The list of the folder is for new files: the old file was not open to nobody."""
    path = os.path.join(folder, name)
    run(binary, "convert", "[1,2]", "-o", path)
    os.chmod(path, 0o640)
    os.setxattr(folder, DEFAULT, OF_NOBODY)
    run(binary, "convert", "[3,4,5]", "-o", path)
    assert get(path, ACCESS) is None, get(path, ACCESS)
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o640


def check_other_group(binary, folder, name):
    """Who cannot give a file to its group gives the new group no more than all others had."""
    if os.geteuid() != 0:
        return
    own = os.path.join(folder, "program")
    shutil.copy(binary, own)
    path = os.path.join(folder, name)
    run(binary, "convert", "[1,2]", "-o", path)
    os.chmod(path, 0o676)
    os.chown(folder, NOBODY, -1)
    subprocess.run([own, "convert", "[3,4,5]", "-o", path], user=NOBODY, group=NOBODY, extra_groups=[], check=True)
    assert os.stat(path).st_gid == NOBODY
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o666, oct(os.stat(path).st_mode)


def tree(folder):
    return sorted(os.path.join(base, name) for base, folders, files in os.walk(folder) for name in folders + files)


def check_no_rights(binary, folder, *words):
    """Under umask 777 not even the owner may enter a new folder. Root may, so another user runs the program."""
    own = os.path.join(folder, "program")
    shutil.copy(binary, own)
    with open(os.path.join(folder, "c.jsonl"), "w") as file:
        file.write('{"op":"add","a":1,"b":2,"expect":"new/x.npy"}\n')
    os.mkdir(os.path.join(folder, "temporary"))
    user = NOBODY if os.geteuid() == 0 else None
    if user:
        for path in [folder] + tree(folder):
            os.chown(path, user, -1)
    before = tree(folder)
    done = subprocess.run([own, *words], cwd=folder, user=user, umask=0o777, capture_output=True, text=True,
                          env={"TMPDIR": os.path.join(folder, "temporary"), "PATH": os.environ["PATH"]})
    assert done.returncode == 2 and "Permission denied" in done.stderr + done.stdout, done
    assert tree(folder) == before, tree(folder)


def main():
    binary = os.path.abspath(sys.argv[1])
    checks = [(check_list, "a.npy"), (check_list, "a.npz", ":a"), (check_list, "a.safetensors", ":a"),
              (check_folder, "b.npy"), (check_other_group, "c.npy"),
              (check_no_rights, "check", "c.jsonl", "--update"),
              (check_no_rights, "check", "c.jsonl", "--command", "true {cases}"),
              (check_no_rights, "generate", "gather", "-o", "cases")]
    failed = 0
    for check, *words in checks:
        with tempfile.TemporaryDirectory() as folder:
            try:
                os.setxattr(folder, DEFAULT, OF_NOBODY)
                os.removexattr(folder, DEFAULT)
            except OSError as error:
                print("0 passed, 0 failed: the file system has no access control lists:", error)
                return 0
            try:
                check(binary, folder, *words)
            except AssertionError as error:
                failed += 1
                print(check.__name__, words, error)
    print(f"{len(checks) - failed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
