#!/usr/bin/env python3
"""Prints what is inside a static program as a list of SPDX 2.3, on Debian, where the program was built.

    apps/packaging/spdx.py ARCHIVE

ARCHIVE is tensorop-VERSION-linux-MACHINE.tar.gz of the target `package`, with a static program. Libraries and licences come
from docs/third-party.md, the licence of tensorop from licence.txt, versions from the installed packages.
"""

import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tarfile
import time
import urllib.parse
import uuid

archive = pathlib.Path(sys.argv[1])
version, machine = re.fullmatch(r"tensorop-(.+)-linux-(\w+)\.tar\.gz", archive.name).groups()
architecture = {"x86_64": "amd64", "aarch64": "arm64"}[machine]
with tarfile.open(archive) as tar:
    program = next(member for member in tar if member.name.endswith("/bin/tensorop"))
    digest = hashlib.sha256(tar.extractfile(program).read()).hexdigest()
here = pathlib.Path(__file__).parent
notices = (here / "../../docs/third-party.md").read_text()
licence = (here / "licence.txt").read_text().split("\n", 1)
# The cross compiler of arm64 has a C++ library of its own.
cxx = "libstdc++-12-dev" if architecture == "amd64" else f"libstdc++-12-dev-{architecture}-cross"
# By the name in docs/third-party.md: the Debian package that is compiled or linked into the program.
PACKAGES = {"CLI11": "libcli11-dev", "nlohmann/json": "nlohmann-json3-dev", "zlib": f"zlib1g-dev:{architecture}",
            "GNU C Library (glibc)": f"libc6-dev:{architecture}", "libstdc++ and libgcc": cxx}


def package(name, identifier, version, declared, comment, more):
    return {"name": name, "SPDXID": identifier, "versionInfo": version, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
            "licenseConcluded": "NOASSERTION", "licenseDeclared": declared, "copyrightText": "NOASSERTION"} | (
                {"licenseComments": comment.strip()} if comment else {}) | more


def library(number, name, licences):
    """`licences`: the expression of SPDX, and after a semicolon what is said of parts."""
    debian = PACKAGES[name]
    version = subprocess.run(["dpkg-query", "--show", "--showformat=${Version}", debian], check=True, capture_output=True,
                             text=True).stdout
    declared, _, parts = licences.partition(";")
    binary, _, architecture = debian.partition(":")
    locator = f"pkg:deb/debian/{urllib.parse.quote(binary)}@{urllib.parse.quote(version)}"
    return package(name, f"SPDXRef-{number}", version, declared, parts, {"externalRefs": [{
        "referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
        "referenceLocator": locator + (f"?arch={architecture}" if architecture else "")}]})


rows = re.findall(r"^\| \[(.+?)\]\(.*?\).*? \| .*? \| (.*?) \|$", notices, re.MULTILINE)
libraries = [library(number, *row) for number, row in enumerate(rows, 1)]
assert [name for name, _ in rows] == list(PACKAGES), f"docs/third-party.md has other libraries: {rows}"
print(json.dumps({
    "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"tensorop-{version}-{architecture}",
    "documentNamespace": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, digest)}",
    "creationInfo": {"created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(program.mtime)), "creators": ["Tool: tensorop-spdx.py"]},
    "packages": [package("tensorop", "SPDXRef-tensorop", version, *licence, {"checksums": [
        {"algorithm": "SHA256", "checksumValue": digest}]})] + libraries,
    "relationships": [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-tensorop"}] +
    [{"spdxElementId": "SPDXRef-tensorop", "relationshipType": "CONTAINS", "relatedSpdxElement": each["SPDXID"]} for each in libraries],
}, indent=2))
