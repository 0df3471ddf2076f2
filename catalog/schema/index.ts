import { clouds } from "./clouds";
import { fabrics } from "./fabrics";
import { machines } from "./machines";
import { models } from "./models";
import { software } from "./software";

/** Schema of each catalogue file. Tests apply them; the program trusts the files and starts without them. */
export const schemas = { ...machines, ...models, ...software, ...clouds, ...fabrics };
