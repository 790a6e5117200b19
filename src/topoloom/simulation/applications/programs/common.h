/* Shared by the built-in programs: arguments, results, the clock and buffers. */
#ifndef TOPOLOOM_COMMON_H
#define TOPOLOOM_COMMON_H

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The whole number or the number behind NAME= among the arguments; the program exits if it is missing. */
long whole(int argc, char **argv, const char *name);
double number(int argc, char **argv, const char *name);

/* A line "result NAME VALUE UNIT", by rank 0 of the world only. */
void result(const char *name, double value, const char *unit);

/* One memory for all ranks, which request the same size: they are in one process, and the content of messages does not matter.
   SimGrid maps it onto one small block and copies nothing into it. */
void *one_for_all(const char *name, size_t bytes);

/* Ranks leave a barrier one after the other, which would be part of what is timed. The simulator's clock is the same for
   all, so they can start at one moment: `time_to_agree` once, then `start_together` before each timing. */
double time_to_agree(void);
void start_together(double agreeing);

/* The seconds from the first rank's begin to the last rank's end, on rank 0. */
double from_first_to_last(double begin, double end);

/* The largest value of any rank and the mean over ranks, on rank 0 (or on all ranks). Through a tree of separate messages:
   MPI's collectives are for what is timed, and its default reduction is slow to simulate on a thousand ranks. */
double largest(double value);
double largest_for_all(double value);
void largest_of_each(double *values, int count);
double mean(double value);

/* The value of rank 0, sent to all ranks through the same tree. */
double from_rank_0(double value);

/* SplitMix64, as topoloom's own draws: the next word, and a random order of 0 .. count - 1 (Fisher-Yates). */
uint64_t next_word(uint64_t *state);
void random_order(uint64_t *state, int *order, int count);

#endif
