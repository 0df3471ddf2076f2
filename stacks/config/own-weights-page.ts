/** Page on sources of weights, named by every message about one. */
export const OWN_WEIGHTS_PAGE = "docs/own-weights.md";
