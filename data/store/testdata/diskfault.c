/*
 * Loaded before libc (LD_PRELOAD), this fails one call that changes a file on disk,
 * or all from one on, as a bad or a full disk would:
 *
 *   DISKFAULT=N:KIND:WORD   the N-th write, pwrite, fsync, fdatasync or ftruncate on
 *                           a file whose path holds WORD; 0 fails none
 *   DISKFAULT_COUNT=FILE    where the number of such calls is kept
 *
 * KIND is eio (this call alone), enospc (this and all later ones) or short (this
 * writes half of what it was given, and later ones find no space).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long target, count;
static char kind[16], word[4096];
static int counter = -1;

__attribute__((constructor)) static void begin(void)
{
	const char *spec = getenv("DISKFAULT"), *file = getenv("DISKFAULT_COUNT");
	if (!spec || sscanf(spec, "%ld:%15[^:]:%4095s", &target, kind, word) != 3)
		word[0] = 0;
	if (file)
		counter = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}

static int ours(int fd)
{
	char link[64], path[4096];
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	ssize_t n = word[0] ? readlink(link, path, sizeof path - 1) : -1;
	if (n < 0)
		return 0;
	path[n] = 0;
	return strstr(path, word) != NULL;
}

/* The error of this call; 0 to let it pass, -1 to write half of it. */
static int fault(int fd)
{
	int saved = errno, e = 0;
	if (ours(fd)) {
		pthread_mutex_lock(&lock);
		count++;
		char text[24];
		int n = snprintf(text, sizeof text, "%20ld", count);
		if (counter >= 0)
			syscall(SYS_pwrite64, counter, text, (size_t)n, (off_t)0);
		if (count == target)
			e = !strcmp(kind, "eio") ? EIO : !strcmp(kind, "short") ? -1 : ENOSPC;
		else if (target && count > target && strcmp(kind, "eio"))
			e = ENOSPC;
		pthread_mutex_unlock(&lock);
	}
	errno = saved;
	return e;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define FAIL(fd)                         \
	int e = fault(fd);               \
	if (e > 0) {                     \
		errno = e;               \
		return -1;               \
	}

ssize_t write(int fd, const void *data, size_t n)
{
	FAIL(fd)
	return REAL(write)(fd, data, e ? n / 2 : n);
}

ssize_t pwrite(int fd, const void *data, size_t n, off_t at)
{
	FAIL(fd)
	return REAL(pwrite)(fd, data, e ? n / 2 : n, at);
}

ssize_t pwrite64(int fd, const void *data, size_t n, off64_t at)
{
	FAIL(fd)
	return REAL(pwrite64)(fd, data, e ? n / 2 : n, at);
}

int fsync(int fd)
{
	FAIL(fd)
	return REAL(fsync)(fd);
}

int fdatasync(int fd)
{
	FAIL(fd)
	return REAL(fdatasync)(fd);
}

int ftruncate(int fd, off_t size)
{
	FAIL(fd)
	return REAL(ftruncate)(fd, size);
}

int ftruncate64(int fd, off64_t size)
{
	FAIL(fd)
	return REAL(ftruncate64)(fd, size);
}
