/** Share of the memory of the queue's server that prompts may take: answers, and all other tasks, need some as well. */
export const PROMPT_MEMORY_SHARE = 0.85;
