import type { Group } from "./group";
import type { MemoryOptions } from "./memory";

/** Groups by the name that they are asked for by; each is loaded only when it is measured. */
export const GROUPS: Readonly<Record<string, (options: MemoryOptions) => Promise<Group>>> = {
  plan: async () => (await import("./plan")).plan,
  engine: async () => (await import("./engine")).engine,
  control: async () => (await import("./control")).control,
  gateway: async () => (await import("./gateway")).gateway,
  node: async () => (await import("./node")).node,
  families: async () => (await import("./families")).families,
  speed: async (options) => (await import("./speed")).speedGroup(options),
  memory: async (options) => (await import("./memory")).memoryGroup(options),
  court: async (options) => (await import("./court")).courtGroup(options),
};
