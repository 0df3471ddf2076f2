/** Messages show first names only; these commands list all. */
export const LIST_MODELS = "npm run list -- models";
export const LIST_SHAPES = "npm run list -- shapes";
export const LIST_CARDS = "npm run list -- cards";
export const LIST_ENGINES = "npm run list -- engines";
