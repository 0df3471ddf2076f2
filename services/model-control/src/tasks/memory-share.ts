/** Share of the memory of the queue's server that prompts may take: answers, and all other tasks, need some as well. */
export const PROMPT_MEMORY_SHARE = 0.85;

/**
 * The same of a caller who asked most of what was asked lately: what is kept of ended tasks adds up, too, and no caller's may take
 * what others need for their prompts.
 */
export const BUSY_CALLER_SHARE = 0.7;

/**
 * The same of tasks without prompts, but for stops and starts that somebody asks for: what is above it is for these, for cancelling,
 * and for what runs.
 */
export const TASK_MEMORY_SHARE = 0.9;
