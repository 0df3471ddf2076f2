/** Share of the queue server's memory for prompts; answers and other tasks need the rest. */
export const PROMPT_MEMORY_SHARE = 0.85;

/** Same for a busy caller: its ended tasks must leave room for others. */
export const BUSY_CALLER_SHARE = 0.7;

/**
 * Same for tasks without prompts. The rest is for users' stops and starts, cancellations and
 * running work.
 */
export const TASK_MEMORY_SHARE = 0.9;
