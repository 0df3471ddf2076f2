/** Names reserved by the gateway, which server groups must not use. */

/** First path segments and their owners. */
export const GATEWAY_PATHS: Readonly<Record<string, string>> = {
  v1: "OpenAI's API",
  v2: "KServe's API",
  cohere: "Cohere's API",
  anthropic: "Anthropic's API",
  api: "the API of models that are loaded at run time",
};

/** Routes that belong to no model or group. */
export const GATEWAY_ROUTES: readonly RegExp[] = [/^(other|unknown)-model$/, /^redirect-to-https$/, /^(free|service)-/];
