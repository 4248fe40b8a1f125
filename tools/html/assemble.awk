# SPDX-License-Identifier: MIT
# Replaces each line @NAME@ of page.html by the contents of files, given as
# NAME='FILE...' on the command line. @DATA@ stays: html.c fills it in.
function put(files,    name, i, count)
{
	count = split(files, name, " ")
	for (i = 1; i <= count; i++) {
		while ((getline line < name[i]) > 0)
			print line
		close(name[i])
	}
}

/^@UPLOT_CSS@$/ { put(UPLOT_CSS); next }
/^@STYLE@$/ { put(STYLE); next }
/^@UPLOT@$/ { put(UPLOT); next }
/^@SCRIPT@$/ { print "(() => {"; print "'use strict';"; put(SCRIPT)
	print "})();"; next }
{ print }
