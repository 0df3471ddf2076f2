/** Page on where weights come from; every message about a source names it. */
export const OWN_WEIGHTS_PAGE = "docs/own-weights.md";
