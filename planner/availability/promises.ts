/** Common promises, ascending. */
export const PROMISES = [0.9, 0.95, 0.99, 0.995, 0.999, 0.9995, 0.9999, 0.99999] as const;

/** Values for lowering a promise, descending: nine steps per nine, down to 0.9. */
export const LOWER_PROMISES: readonly number[] = [5, 4, 3, 2]
  .flatMap((digits) => Array.from({ length: 9 }, (_, i) => Number((1 - (i + 1) / 10 ** digits).toFixed(digits))))
  .concat(0.9);
