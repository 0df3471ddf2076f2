/** Abort reasons of a task's work, which decide what follows. */

/** Cancelled: ends, and removes partial results. */
export class Cancelled extends Error {}

/** The process ends: another one resumes the task. */
export class ShuttingDown extends Error {}

/** The queue reassigned the task after missed heartbeats. */
export class LockLost extends Error {}

/** Another owner's pull waits: resumes at its next turn. */
export class TurnOver extends Error {}

/** The attempt exceeded its time limit and counts as failed. */
export class TookTooLong extends Error {}
