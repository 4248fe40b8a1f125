#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the contents of a release as SPDX 2.3 in JSON: sbom.py TARBALL [URL]

The script reads only the tarball that `make dist` wrote, so one tarball always
gives the same document. URL is where the tarball can be downloaded.
"""
import hashlib
import json
import os
import re
import sys
import tarfile
import time

# The tarball contains none of these packages. The Makefile links the program
# selfmon without libcpuid, jansson or libdw if they are missing. The library
# loads libpfm if an event's name needs it.
DEPENDENCIES = [
    # Name, licence, purl, relationship, and the package that it belongs to.
    ("libc", "NOASSERTION", None, "DEPENDS_ON", "libselfmon"),
    ("libpfm", "MIT", "pkg:generic/libpfm", "OPTIONAL_DEPENDENCY_OF",
     "libselfmon"),
    ("libc", "NOASSERTION", None, "DEPENDS_ON", "selfmon"),
    ("libcpuid", "BSD-2-Clause", "pkg:github/anrieff/libcpuid",
     "OPTIONAL_DEPENDENCY_OF", "selfmon"),
    ("jansson", "MIT", "pkg:github/akheron/jansson",
     "OPTIONAL_DEPENDENCY_OF", "selfmon"),
    ("libdw", "LGPL-3.0-or-later OR GPL-2.0-or-later",
     "pkg:generic/elfutils", "OPTIONAL_DEPENDENCY_OF", "selfmon"),
    ("criterion", "MIT", "pkg:github/Snaipe/Criterion",
     "TEST_DEPENDENCY_OF", "libselfmon"),
]

SUPPLIER = "Organization: libselfmon contributors"
LICENCE = re.compile(r"SPDX-License-Identifier: ([A-Za-z0-9.+-]+)")
# Each third_party/*/README.md begins with these words.
COMPONENT = re.compile(r"(\S+) ([0-9][^ ,]*), (\S+) \(LICENSE\), from the npm "
                       r"package `([^`]+)`")


class Element:
    """A file of the tarball, as SPDX describes it."""

    def __init__(self, path, content):
        self.path = path
        self.text = content.decode(errors="replace")
        self.sha1 = hashlib.sha1(content).hexdigest()
        self.sha256 = hashlib.sha256(content).hexdigest()
        self.id = "SPDXRef-File-" + hashlib.sha1(path.encode()).hexdigest()
        found = LICENCE.search(self.text[:1000])
        self.stated = found.group(1) if found else None
        self.licence = self.stated or "MIT"  # without a tag, LICENSE applies

    def row(self):
        return {
            "SPDXID": self.id,
            "fileName": "./" + self.path,
            "checksums": [checksum("SHA1", self.sha1),
                          checksum("SHA256", self.sha256)],
            "licenseInfoInFiles": [self.stated or "NONE"],
            "licenseConcluded": self.licence,
        }


def checksum(algorithm, value):
    return {"algorithm": algorithm, "checksumValue": value}


def sha256_of(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def read_tarball(path):
    """Returns the tarball's files, its commit, and the time of the commit."""
    with tarfile.open(path) as tar:
        members = [member for member in tar if member.isfile()]
        folder = members[0].name.split("/")[0] + "/"
        files = [Element(member.name[len(folder):],
                         tar.extractfile(member).read())
                 for member in members]
        commit = tar.pax_headers.get("comment", "unknown")
    return sorted(files, key=lambda file: file.path), commit, members[0].mtime


def verification_code(files):
    """Computes the verification code: SPDX 2.3, 7.9."""
    sums = "".join(sorted(file.sha1 for file in files))
    return {"packageVerificationCodeValue":
            hashlib.sha1(sums.encode()).hexdigest()}


def copyright_of(files, path):
    text = next(file.text for file in files if file.path == path)
    return re.search(r"^Copyright .*", text, re.MULTILINE).group()


def analyzed(files):
    """Returns the members of a package whose files are in the tarball."""
    found = sorted({file.stated for file in files if file.stated})
    return {
        "filesAnalyzed": True,
        "packageVerificationCode": verification_code(files),
        "licenseInfoFromFiles": found or ["NONE"],
    }


def package(name, licence, purl, **more):
    row = {"SPDXID": "SPDXRef-Package-" + name, "name": name,
           "filesAnalyzed": False, "downloadLocation": "NOASSERTION",
           "licenseDeclared": licence, "licenseConcluded": licence,
           "copyrightText": "NOASSERTION"}
    if purl:
        row["externalRefs"] = [{
            "referenceCategory": "PACKAGE-MANAGER",
            "referenceType": "purl", "referenceLocator": purl}]
    row.update(more)
    return row


def own_packages(files, version, tarball, url):
    mine = {"versionInfo": version, "supplier": SUPPLIER,
            "downloadLocation": url,
            "copyrightText": copyright_of(files, "LICENSE")}
    library = package(
        "libselfmon", "MIT", f"pkg:generic/libselfmon@{version}", **mine,
        packageFileName=os.path.basename(tarball),
        primaryPackagePurpose="LIBRARY",
        checksums=[checksum("SHA256", sha256_of(tarball))], **analyzed(files))
    library["licenseConcluded"] = " AND ".join(library["licenseInfoFromFiles"])
    library["licenseComments"] = (
        "The library and the program selfmon are MIT. GPL-2.0-or-later is "
        "tests/vm/qemu alone: tests build it into QEMU, and nothing else.")
    tool = package("selfmon", "MIT", None, **mine,
                   primaryPackagePurpose="APPLICATION")
    return [library, tool]


def component(files, folder):
    """Returns the package of a folder of third_party, and its files."""
    inside = [file for file in files if file.path.startswith(folder)]
    readme = [file for file in inside if file.path == folder + "README.md"]
    found = COMPONENT.match(readme[0].text) if readme else None
    if not found:
        sys.exit(f"sbom: {folder}README.md: does not begin with 'NAME "
                 "VERSION, LICENCE (LICENSE), from the npm package `NAME`'")
    name, version, licence, npm = found.groups()
    for file in inside:
        file.licence = file.stated or licence
    row = package(name, licence, f"pkg:npm/{npm}@{version}",
                  versionInfo=version, **analyzed(inside),
                  copyrightText=copyright_of(files, folder + "LICENSE"),
                  primaryPackagePurpose="LIBRARY")
    return row, inside


def relation(element, kind, related):
    return {"spdxElementId": element, "relationshipType": kind,
            "relatedSpdxElement": related}


def dependencies():
    """Returns each package once, and its relationship to ours."""
    packages, relations = {}, []
    for name, licence, purl, how, mine in DEPENDENCIES:
        packages[name] = package(name, licence, purl)
        ends = ["SPDXRef-Package-" + mine, "SPDXRef-Package-" + name]
        if how.endswith("_OF"):
            ends.reverse()
        relations.append(relation(ends[0], how, ends[1]))
    return list(packages.values()), relations


def document(tarball, url):
    files, commit, created = read_tarball(tarball)
    version = re.search(
        r'^#define SELFMON_VERSION "(.*)"',
        next(file.text for file in files
             if file.path == "include/selfmon/version.h"), re.M).group(1)
    packages = own_packages(files, version, tarball, url)
    library, tool = (row["SPDXID"] for row in packages)
    packages[0]["sourceInfo"] = "git commit " + commit
    relations = [relation("SPDXRef-DOCUMENT", "DESCRIBES", library),
                 relation(library, "CONTAINS", tool)]
    relations += [relation(library, "CONTAINS", file.id) for file in files]
    for folder in sorted({"/".join(file.path.split("/")[:2]) + "/"
                          for file in files
                          if file.path.startswith("third_party/")}):
        row, inside = component(files, folder)
        packages.append(row)
        relations.append(relation(library, "CONTAINS", row["SPDXID"]))
        relations.append(relation(tool, "DEPENDS_ON", row["SPDXID"]))
        relations += [relation(row["SPDXID"], "CONTAINS", file.id)
                      for file in inside]
    others, more = dependencies()
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": "libselfmon-" + version,
        "documentNamespace": "https://spdx.org/spdxdocs/libselfmon-"
                             f"{version}-{sha256_of(tarball)}",
        "creationInfo": {
            "created": time.strftime("%Y-%m-%dT%H:%M:%SZ",
                                     time.gmtime(created)),
            "creators": ["Tool: libselfmon-sbom.py", SUPPLIER]},
        "packages": packages + others,
        "files": [file.row() for file in files],
        "relationships": relations + more,
    }


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    URL = sys.argv[2] if len(sys.argv) == 3 else ""
    json.dump(document(sys.argv[1], URL or "NOASSERTION"), sys.stdout,
              indent=1)
    print()
