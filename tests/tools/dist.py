#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests the files that `make dist` writes: dist.py

Two runs write the same bytes. The SBOM agrees with the tarball, with the
Makefile's dependencies and with debian/copyright. The checks notice each fault
of a list. A signed release can be verified, and a changed one cannot.

With SPDX_SCHEMA=FILE the SBOM is also validated by the published schema:
schemas/spdx-schema.json of github.com/spdx/spdx-spec at v2.3.
"""
import collections
import copy
import hashlib
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MAKE = os.environ.get("MAKE", "make")
OURS = "SPDXRef-Package-libselfmon"
TOOL = "SPDXRef-Package-selfmon"


def fail(text):
    sys.exit(f"dist: {text}")


def skip(text):
    print(f"[SKIP] dist: {text}")


def run(*command, **more):
    return subprocess.run(command, cwd=ROOT, text=True, capture_output=True,
                          check=False, **more)


def git(*words):
    return run("git", *words).stdout.strip()


# ---- a release ---------------------------------------------------------------


def dist(folder, *words, **environment):
    """Returns the bytes of each file that make dist wrote, by their names."""
    folder.mkdir()
    done = run(MAKE, "--no-print-directory", "-s", "dist", f"O={folder}",
               *words, env=dict(os.environ, **environment))
    if done.returncode:
        fail(f"make dist: {done.stdout}{done.stderr}")
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def contents(tarball):
    """Returns the bytes of each file in the tarball, by its path."""
    with tarfile.open(fileobj=io.BytesIO(tarball)) as tar:
        return {member.name.split("/", 1)[1]: tar.extractfile(member).read()
                for member in tar if member.isfile()}


# ---- the SBOM ------------------------------------------------------------------


def ends(document, kind, one=None, other=None):
    """Returns the pairs of ids with this relationship, or only those with
    these ends."""
    return {(row["spdxElementId"], row["relatedSpdxElement"])
            for row in document["relationships"]
            if row["relationshipType"] == kind
            and one in (None, row["spdxElementId"])
            and other in (None, row["relatedSpdxElement"])}


def sums_of(content):
    return {"SHA1": hashlib.sha1(content).hexdigest(),
            "SHA256": hashlib.sha256(content).hexdigest()}


def problems_of_ids(document):
    ids = [row["SPDXID"] for key in ("packages", "files")
           for row in document[key]]
    yield from (f"{one}: twice" for one, count
                in collections.Counter(ids).items() if count > 1)
    yield from (f"{one}: no id" for one in ids
                if not re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", one))
    known = set(ids) | {"SPDXRef-DOCUMENT"}
    for row in document["relationships"]:
        for key in ("spdxElementId", "relatedSpdxElement"):
            if row[key] not in known:
                yield f"a relation to {row[key]}, which is not there"
    if ends(document, "DESCRIBES") != {("SPDXRef-DOCUMENT", OURS)}:
        yield "does not describe libselfmon"


def problems_of_files(document, files):
    rows = {row["fileName"].removeprefix("./"): row
            for row in document["files"]}
    contained = ends(document, "CONTAINS", OURS)
    yield from (f"{path}: not in the SBOM" for path in files.keys() - rows)
    yield from (f"{path}: not in the tarball" for path in rows.keys() - files)
    for path in rows.keys() & files:
        sums = {one["algorithm"]: one["checksumValue"]
                for one in rows[path]["checksums"]}
        if sums != sums_of(files[path]):
            yield f"{path}: another checksum"
        if (OURS, rows[path]["SPDXID"]) not in contained:
            yield f"{path}: not contained in libselfmon"
        if "GPL" in rows[path]["licenseConcluded"] and \
                not path.startswith("tests/vm/qemu/"):
            yield f"{path}: {rows[path]['licenseConcluded']}"


def problems_of_codes(document, files):
    """Checks that each package's verification code is that of its files."""
    paths = {row["SPDXID"]: row["fileName"].removeprefix("./")
             for row in document["files"]}
    for row in document["packages"]:
        if not row["filesAnalyzed"]:
            continue
        inside = [paths[other] for _, other in
                  ends(document, "CONTAINS", row["SPDXID"]) if other in paths]
        sums = sorted(hashlib.sha1(files.get(path, b"")).hexdigest()
                      for path in inside)
        code = hashlib.sha1("".join(sums).encode()).hexdigest()
        if row["packageVerificationCode"] != {
                "packageVerificationCodeValue": code}:
            yield f"{row['name']}: another verification code"


def problems_of_components(document, files):
    packages = {row["name"]: row for row in document["packages"]}
    folders = {path.split("/")[1] for path in files
               if path.startswith("third_party/")}
    for name in folders:
        inside = {path: text for path, text in files.items()
                  if path.startswith(f"third_party/{name}/")}
        row = packages.get(name)
        if not row:
            yield f"third_party/{name}: no package"
            continue
        code = b"".join(text for path, text in inside.items()
                        if not path.endswith(("README.md", "LICENSE")))
        if row["versionInfo"].encode() not in code:
            yield f"third_party/{name} is not of version {row['versionInfo']}"
        if (b"MIT" in inside[f"third_party/{name}/LICENSE"]) != \
                (row["licenseDeclared"] == "MIT"):
            yield f"third_party/{name}/LICENSE: not {row['licenseDeclared']}"
        if len(ends(document, "CONTAINS", row["SPDXID"])) != len(inside):
            yield f"third_party/{name}: not all of its files"
        if f"third_party/{name}/*" not in files["debian/copyright"].decode():
            yield f"third_party/{name}: not in debian/copyright"


def problems_of_dependencies(document, files):
    """Compares the libraries that the makefiles find by pkg-config with the
    dependencies in the SBOM."""
    for path, kind, mine in (
            ("tools/tools.mk", "OPTIONAL_DEPENDENCY_OF", TOOL),
            ("tests/tests.mk", "TEST_DEPENDENCY_OF", OURS)):
        linked = set(re.findall(r"PKG_CONFIG\) --libs (\S+?)[ )]",
                                files[path].decode()))
        stated = {one.removeprefix("SPDXRef-Package-") for one, _ in
                  ends(document, kind, None, mine)}
        if linked != stated:
            yield f"{path} links {linked}, the SBOM has {stated}"
    for mine in (OURS, TOOL):
        if (mine, "SPDXRef-Package-libc") not in ends(document, "DEPENDS_ON"):
            yield f"{mine} does not depend on libc"
    stated = ends(document, "OPTIONAL_DEPENDENCY_OF", None, OURS)
    if stated != {("SPDXRef-Package-libpfm", OURS)}:
        yield f"the library loads libpfm alone, not {stated}"


def problems(document, tarball, name):
    files = contents(tarball)
    ours = [row for row in document["packages"] if row["SPDXID"] == OURS]
    if len(ours) != 1 or ours[0]["packageFileName"] != name or \
            ours[0]["licenseDeclared"] != "MIT" or \
            f"-{ours[0]['versionInfo']}.tar.gz" not in name:
        yield "no package libselfmon of this version"
    elif ours[0]["checksums"] != [
            {"algorithm": "SHA256",
             "checksumValue": sums_of(tarball)["SHA256"]}]:
        yield "another tarball"
    elif not ours[0]["sourceInfo"].endswith(git("rev-parse", "HEAD")):
        yield "another commit"
    if document["creationInfo"]["created"] != run(
            "git", "show", "-s", "--date=format-local:%Y-%m-%dT%H:%M:%SZ",
            "--format=%cd", env=dict(os.environ, TZ="UTC")).stdout.strip():
        yield "created at another time than the commit"
    yield from problems_of_ids(document)
    yield from problems_of_files(document, files)
    yield from problems_of_codes(document, files)
    yield from problems_of_components(document, files)
    yield from problems_of_dependencies(document, files)


# ---- faults that must be noticed -----------------------------------------------


def repacked(tarball, path, content):
    """Returns the tarball with other content in one file, or with one more
    file."""
    out = io.BytesIO()
    files = contents(tarball)
    files[path] = content
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for name, text in files.items():
            member = tarfile.TarInfo("libselfmon/" + name)
            member.size = len(text)
            tar.addfile(member, io.BytesIO(text))
    return out.getvalue()


def without(document, key, test):
    document[key] = [row for row in document[key] if not test(row)]


def is_of(row, name):
    return row["relatedSpdxElement"].endswith("-" + name) or \
        row["spdxElementId"].endswith("-" + name)


FAULTS = {
    "a file has no row": lambda d: d["files"].pop(),
    "a file has another checksum":
        lambda d: d["files"][7]["checksums"][1].update(checksumValue="0" * 64),
    "a file is contained in nothing": lambda d: without(
        d, "relationships",
        lambda row: row["relatedSpdxElement"] == d["files"][3]["SPDXID"]),
    "two rows have one id":
        lambda d: d["files"][1].update(SPDXID=d["files"][0]["SPDXID"]),
    "a component is missing": lambda d: without(
        d, "packages", lambda row: row["name"] == "uPlot"),
    "a component has another version": lambda d: [
        row.update(versionInfo="0.0.0") for row in d["packages"]
        if row["name"] == "uPlot"],
    "a dependency of the tool is missing": lambda d: without(
        d, "relationships", lambda row: is_of(row, "jansson")),
    "the library depends on more": lambda d: d["relationships"].append(
        {"spdxElementId": "SPDXRef-Package-jansson",
         "relationshipType": "OPTIONAL_DEPENDENCY_OF",
         "relatedSpdxElement": OURS}),
    "libc is missing": lambda d: without(
        d, "relationships", lambda row: is_of(row, "libc")),
    "nothing is described": lambda d: without(
        d, "relationships",
        lambda row: row["relationshipType"] == "DESCRIBES"),
}


def check_faults(document, tarball, name):
    for what, spoil in FAULTS.items():
        spoilt = copy.deepcopy(document)
        spoil(spoilt)
        if not list(problems(spoilt, tarball, name)):
            fail(f"not noticed: {what}")
    for path in ("libselfmon/abi.c", "README.md", "new"):
        spoilt = repacked(tarball, path, b"/* */\n")
        found = list(problems(document, spoilt, name))
        if not any(one.startswith(path + ":") for one in found):
            fail(f"not noticed: {path} is another file: {found}")
    return len(FAULTS) + 3


def check_schema(document):
    """Returns what the summary of the checks prints about the file."""
    schema = os.environ.get("SPDX_SCHEMA")
    if not schema:
        skip("SPDX_SCHEMA names no file: not validated by the schema")
        return "not validated"
    try:
        from jsonschema import Draft7Validator
    except ImportError:
        skip("no python3-jsonschema: not validated by the schema")
        return "not validated"
    with open(schema, encoding="utf-8") as file:
        validator = Draft7Validator(json.load(file))
    for error in validator.iter_errors(document):
        fail(f"schema: {list(error.absolute_path)}: {error.message[:300]}")
    for key in ("name", "spdxVersion", "creationInfo"):
        spoilt = {name: document[name] for name in document if name != key}
        if validator.is_valid(spoilt):
            fail(f"{schema} does not ask for {key}: not SPDX's schema")
    return "valid by the schema"


# ---- checksums and signatures ----------------------------------------------------


def sums_agree(folder):
    return subprocess.run(["sha256sum", "-c", "--quiet", "SHA256SUMS"],
                          cwd=folder, capture_output=True,
                          check=False).returncode == 0


def change(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def check_sums(folder):
    if not sums_agree(folder):
        fail("SHA256SUMS does not agree")
    for path in [path for path in folder.iterdir()
                 if path.name != "SHA256SUMS"]:
        change(path)
        if sums_agree(folder):
            fail(f"SHA256SUMS does not notice a change of {path.name}")
        change(path)


def check_signature(scratch):
    if not shutil.which("gpg"):
        skip("no gpg: nothing is signed")
        return "not signed"
    home = scratch / "gnupg"
    home.mkdir(mode=0o700)
    env = dict(os.environ, GNUPGHOME=str(home))
    made = run("gpg", "--batch", "--passphrase", "", "--quick-generate-key",
               "nobody@invalid", "ed25519", "sign", "never", env=env)
    if made.returncode:
        fail(f"no key: {made.stderr}")
    folder = scratch / "signed"
    dist(folder, "SIGN=nobody@invalid", GNUPGHOME=str(home))
    verify = ("gpg", "--batch", "--verify", str(folder / "SHA256SUMS.asc"),
              str(folder / "SHA256SUMS"))
    if run(*verify, env=env).returncode:
        fail("the signature does not verify")
    change(folder / "SHA256SUMS")
    if run(*verify, env=env).returncode == 0:
        fail("the signature verifies a changed SHA256SUMS")
    change(folder / "SHA256SUMS")
    change(next(folder.glob("*.tar.gz")))
    if sums_agree(folder):
        fail("a signed SHA256SUMS agrees with a changed tarball")
    run("gpgconf", "--kill", "gpg-agent", env=env)
    return "signature verified"


def main():
    if run("git", "rev-parse", "--show-toplevel").returncode:
        skip("no clone of the repository")
        return
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        release = dist(scratch / "1")
        if release != dist(scratch / "2", TZ="Asia/Tokyo", LC_ALL="C"):
            fail("two runs give other bytes")
        tarball = next(one for one in release if one.endswith(".tar.gz"))
        sbom = tarball.replace(".tar.gz", ".spdx.json")
        if set(release) != {tarball, sbom, "SHA256SUMS"}:
            fail(f"make dist writes {sorted(release)}")
        document = json.loads(release[sbom])
        for problem in problems(document, release[tarball], tarball):
            fail(problem)
        faults = check_faults(document, release[tarball], tarball)
        said = check_schema(document)
        check_sums(scratch / "1")
        print(f"dist: {tarball}, {len(document['files'])} files, "
              f"{len(document['packages'])} packages, {said}; {faults} faults "
              f"noticed; {check_signature(scratch)}")


main()
