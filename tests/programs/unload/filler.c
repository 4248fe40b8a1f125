/* SPDX-License-Identifier: MIT */
/* Takes SIZE bytes of the remaining static TLS. */
char *fill(void);

static __thread char bytes[SIZE]
	__attribute__((tls_model("initial-exec"), aligned(8)));

char *fill(void)
{
	return bytes;
}
