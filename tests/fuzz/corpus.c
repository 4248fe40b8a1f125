/* SPDX-License-Identifier: MIT */
/* Runs a fuzz target on files, for systems without libFuzzer. */
#include "fuzz/fuzz.h"

static void run(const char *path)
{
	static uint8_t data[1 << 20];
	FILE *file = fopen(path, "rb");
	uint8_t *exact;
	size_t size;

	if (!file) {
		perror(path);
		exit(1);
	}
	size = fread(data, 1, sizeof(data), file);
	fclose(file);
	/*
	 * The buffer ends where the input ends, so that sanitizers notice reads
	 * beyond it.
	 */
	exact = malloc(size ? size : 1);
	for (size_t i = 0; i < size; i++)
		exact[i] = data[i];
	LLVMFuzzerTestOneInput(exact, size);
	free(exact);
}

int main(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		run(argv[i]);
	printf("fuzz: %s: %d inputs\n", argv[0], argc - 1);
	return argc > 1 ? 0 : 1;
}
