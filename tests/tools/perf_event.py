#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that docs/PERF_EVENT.md has a true row for each name of
<linux/perf_event.h>.

perf_event.py [HEADER]    default: the header that $CC includes

- Each PERF_* name, each struct or union, and each field of the attributes and
  of the user page has a row. A name may end in '*' unless it is used.
- The files that a used row lists contain its names, outside of comments; 'as
  `X`' gives the text that stands for the name.
- The library's code uses no name of the other rows, and sets no such attribute.

Then the script damages each row, and the check must notice: the row is removed,
its files are emptied, or code uses its names although the row says otherwise.
"""
import os
import re
import shlex
import subprocess
import sys

PAGE = 'docs/PERF_EVENT.md'
STATES = ('used', 'planned', 'not')
STRUCTS = ('perf_event_attr', 'perf_event_mmap_page')
FILE = re.compile(r'[a-z_0-9]+(/[a-z_0-9]+)+\.[ch]')


def without_comments(text):
    return re.sub(r'/\*.*?\*/|//[^\n]*', ' ', text, flags=re.S)


def find_header():
    cc = shlex.split(os.environ.get('CC') or 'cc')
    out = subprocess.run(cc + ['-E', '-x', 'c', '-'], check=True, text=True,
                         input='#include <linux/perf_event.h>\n',
                         stdout=subprocess.PIPE).stdout
    return re.search(r'^# \d+ "(.*/linux/perf_event\.h)"', out, re.M).group(1)


def read_header(path):
    """Returns the names that need a row, as pairs (struct or '', name)."""
    with open(path, encoding='utf-8') as file:
        text = without_comments(file.read())
    names = {('', name) for name in re.findall(r'\bPERF_[A-Z0-9_]*[A-Z0-9]\b',
                                               text)}
    names |= {('', name) for name in
              re.findall(r'^(?:struct|union)\s+(perf_\w+)\s*\{', text, re.M)
              if name not in STRUCTS}
    for struct in STRUCTS:
        body = re.search(r'^struct %s\s*\{(.*?)^\};' % struct, text,
                         re.M | re.S).group(1)
        names |= {(struct, field) for field in re.findall(
            r'(\w+)\s*(?:\[[^]]*\])?\s*(?::\s*\d+)?\s*[,;]', body)}
    return names


def matches(pattern, name):
    if pattern.endswith('*'):
        return name.startswith(pattern[:-1])
    return name == pattern


class Row:
    def __init__(self, line, struct, cells):
        self.line, self.struct, self.cells = line, struct, cells
        self.names = re.findall(r'`([^`]*)`', cells[0])
        self.state = cells[1]
        quoted = re.findall(r'`([^`]*)`', cells[2])
        self.files = [word for word in quoted if FILE.fullmatch(word)]
        self.alias = re.search(r'\bas `([^`]*)`', cells[2])

    def covers(self, struct, name):
        return struct in ('', self.struct) and any(
            matches(pattern, name) for pattern in self.names)


def read_page(complain):
    rows, struct = [], ''
    with open(PAGE, encoding='utf-8') as file:
        for number, line in enumerate(file, 1):
            if line.startswith('## '):
                found = re.match(r'## struct (\w+)', line)
                struct = found.group(1) if found else ''
            cells = [cell.strip() for cell in line.strip().split(' | ')]
            if not line.startswith('| ') or cells[0] in ('| mechanism',
                                                         '| state'):
                continue
            cells[0], cells[-1] = cells[0][2:], cells[-1][:-1].strip()
            if len(cells) == 2 and not struct and cells[0] in STATES:
                continue
            if len(cells) != 3 or cells[1] not in STATES:
                complain(number, 'no row of three cells with a state')
                continue
            rows.append(Row(number, struct, cells))
    return rows


def read_tree():
    tree = {}
    for root in ('libselfmon', 'include', 'tools'):
        for folder, _, files in os.walk(root):
            for name in files:
                if name.endswith(('.c', '.h')):
                    path = os.path.join(folder, name)
                    with open(path, encoding='utf-8') as file:
                        tree[path] = without_comments(file.read())
    return tree


def place(name):
    return name if name.startswith(('include/', 'tools/')) \
        else 'libselfmon/' + name


def is_pasted(code, name):
    """Returns whether the code builds the name by a macro, as HW(CPU_CYCLES)
    with HW(id) PERF_COUNT_HW_##id."""
    return any(name.startswith(prefix) and re.search(
        r'\b%s\(%s\)' % (macro, name[len(prefix):]), code)
        for macro, prefix in re.findall(
            r'#define (\w+)\(\w+\)(?:[^\n]|\\\n)*?\b(PERF_[A-Z_]+_)##', code))


def contains(code, row, name):
    if row.alias:
        return row.alias.group(1) in code
    if not row.struct or name.startswith('PERF_'):
        return bool(re.search(r'\b%s\b' % re.escape(name), code)) or \
            is_pasted(code, name)
    # The code has a field of this name, or a constant that is named after the
    # field.
    return bool(re.search(r'(\.|->)%s\b|_%s\b' % (name, name.upper()), code))


def check_used(row, tree, complain):
    if not row.files:
        complain(row.line, 'used, but no file')
    if row.alias and len(row.names) > 1:
        complain(row.line, "'as' is of one name")
    names = row.names or ['its text']
    found = set()
    for path in map(place, row.files):
        if path not in tree:
            complain(row.line, 'no file ' + path)
            continue
        here = {name for name in names if contains(tree[path], row, name)}
        found |= here
        if not here:
            complain(row.line, '%s has none of: %s' % (path, ', '.join(names)))
    for name in names:
        if name not in found:
            complain(row.line, name + ' is in none of the files')


def check_unused(row, used, words, code, complain):
    for name in row.names:
        if name.startswith('PERF_'):
            for word in sorted(words):
                if matches(name, word) and word not in used:
                    complain(row.line, '%s, but the code has %s' %
                             (row.state, word))
        elif row.struct == STRUCTS[0] and re.search(
                r'attr(\.|->)%s\s*[|&]?=[^=]' % name.replace('*', r'\w*'),
                code):
            complain(row.line, '%s, but the code sets %s' % (row.state, name))


def words_of(code):
    return set(re.findall(r'\bPERF_[A-Z0-9_]*[A-Z0-9]\b', code))


def names_of_used(rows):
    return {name for row in rows if row.state == 'used' for name in row.names}


def check_names(rows, names, complain):
    for struct, name in sorted(names):
        if not any(row.covers(struct, name) for row in rows):
            complain(0, '%s%s has no row' % (struct and struct + '.', name))
    seen = set()
    for row in rows:
        for name in row.names:
            if name.endswith('*') and (row.state == 'used' or len(name) < 9):
                complain(row.line, name + ' names too much')
            if (row.struct, name) in seen:
                complain(row.line, name + ' has two rows')
            seen.add((row.struct, name))


def check_states(rows, tree, complain):
    code = '\n'.join(code for path, code in tree.items()
                     if not path.startswith('tools/'))
    words, used = words_of(code), names_of_used(rows)
    for row in rows:
        if row.state == 'used':
            check_used(row, tree, complain)
        else:
            check_unused(row, used, words, code, complain)


def notices(function, *arguments):
    found = []
    function(*arguments, lambda line, text: found.append(text))
    return bool(found)


def spoil(row, rows, names, tree, complain):
    """Damages the row in each way. Complains if the check does not notice, and
    returns the number of ways."""
    ways = 0
    own = {name for name in names if row.covers(*name)}
    if own:
        ways += 1
        if not notices(check_names, [r for r in rows if r is not row], own):
            complain(row.line, 'its removal goes unnoticed')
    if row.state == 'used':
        for path in map(place, row.files):
            ways += 1
            if not notices(check_used, row, dict(tree, **{path: ''})):
                complain(row.line, path + ' may be empty')
        return ways
    for name in row.names:
        word = name.replace('*', 'X')
        if not name.startswith('PERF_') and row.struct != STRUCTS[0]:
            continue
        code = word if name.startswith('PERF_') else 'attr->%s = 1;' % word
        ways += 1
        if not notices(check_unused, row, names_of_used(rows), words_of(code),
                       code):
            complain(row.line, name + ' may be used unnoticed')
    return ways


def main():
    bad = []

    def complain(line, text):
        bad.append(text)
        print('perf-event: %s%s: %s' % (PAGE, line and ':%d' % line or '',
                                        text), file=sys.stderr)

    os.chdir(os.path.join(os.path.dirname(__file__), '..', '..'))
    header = sys.argv[1] if len(sys.argv) > 1 else find_header()
    names, tree = read_header(header), read_tree()
    rows = read_page(complain)
    check_names(rows, names, complain)
    check_states(rows, tree, complain)
    if not bad:
        ways = sum(spoil(row, rows, names, tree, complain) for row in rows)
    if not bad:
        print('perf-event: %d names of %s in %d rows; %d ways to spoil a row '
              'noticed' % (len(names), header, len(rows), ways))
    return bool(bad)


if __name__ == '__main__':
    sys.exit(main())
