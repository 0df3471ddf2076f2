/** Availabilities that people promise, from the lowest on. */
export const PROMISES = [0.9, 0.95, 0.99, 0.995, 0.999, 0.9995, 0.9999, 0.99999] as const;
