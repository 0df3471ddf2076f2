export { definePlatform, type Platform } from "./define-platform";
export type { EnginePart, Part, PlatformParts } from "./parts";
export { standardAddons, standardEngines } from "./standard-parts";
