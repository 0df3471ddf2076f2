import { definePlatform, standardAddons, standardEngines } from "inference-stacks";

// What is not listed is not loaded. Own parts follow: () => import("./addons/notes").
export default definePlatform({
  engines: Object.values(standardEngines),
  addons: Object.values(standardAddons),
});
