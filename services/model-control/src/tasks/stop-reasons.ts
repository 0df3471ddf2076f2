/** Why a task's work was interrupted: what follows depends on it. */

/** Somebody cancelled it: it ends, and what it began is removed. */
export class Cancelled extends Error {}

/** This process ends: another one takes the task up where it is. */
export class ShuttingDown extends Error {}

/** The queue gave the task to another process, for it heard too long nothing of this one. */
export class LockLost extends Error {}

/** Another owner's pull waits, and this one had its time: it goes on at its next turn. */
export class TurnOver extends Error {}

/** One try took longer than the configuration allows: it counts as failed. */
export class TookTooLong extends Error {}
