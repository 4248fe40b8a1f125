/* SPDX-License-Identifier: MIT */
/* The functions of libgit2 that Criterion calls: see no_git.sh. */
int git_libgit2_init(void);
int git_libgit2_shutdown(void);
int git_diff_buffers(void);

int git_libgit2_init(void)
{
	return 1; /* the number of initialisations */
}

int git_libgit2_shutdown(void)
{
	return 0;
}

int git_diff_buffers(void)
{
	return -1; /* an error */
}
