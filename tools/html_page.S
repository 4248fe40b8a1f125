/* SPDX-License-Identifier: MIT */
/*
 * Embeds the page of selfmon report -f html, which tools.mk assembles from
 * files.
 */
	.section .rodata
	.global tool_html_page
	.global tool_html_page_size
tool_html_page:
	.incbin "html_page.html"
1:
	.balign 8
tool_html_page_size:
	.8byte 1b - tool_html_page
	.section .note.GNU-stack, "", %progbits
