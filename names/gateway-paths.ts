/** What the gateway answers by itself: no server group is called so, for it would stand in the way. */

/** First parts of paths, and whose they are. */
export const GATEWAY_PATHS: Readonly<Record<string, string>> = {
  v1: "OpenAI's API",
  v2: "KServe's API",
  cohere: "Cohere's API",
  anthropic: "Anthropic's API",
  api: "the API of models that are loaded at run time",
};

/** Names of its routes that are no model's and no group's. */
export const GATEWAY_ROUTES: readonly RegExp[] = [/^(other|unknown)-model$/, /^redirect-to-https$/, /^(free|service)-/];
