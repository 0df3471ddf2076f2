/** Promised times as series, so that rules are the same for every plan. */
export const LEVEL = {
  firstToken: "inference:level_first_token_seconds",
  token: "inference:level_token_seconds",
} as const;
