/** What a plan promises of a model's times, as series with the `percentile` that they are of: rules are the same for every plan. */
export const LEVEL = {
  firstToken: "inference:level_first_token_seconds",
  token: "inference:level_token_seconds",
} as const;
