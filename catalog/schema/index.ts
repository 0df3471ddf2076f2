import { clouds } from "./clouds";
import { fabrics } from "./fabrics";
import { machines } from "./machines";
import { models } from "./models";
import { software } from "./software";

/** Applied by tests; the program trusts the files. */
export const schemas = { ...machines, ...models, ...software, ...clouds, ...fabrics };
