/** `addons/notes.ts` of a thin repository: an add-on with a component alone. */
export const NOTES_ADDON = `
import * as pulumi from "@pulumi/pulumi";
import { addon } from "inference-stacks/addon";
import { z } from "zod";

export default addon({
  key: "notes",
  section: z.strictObject({ title: z.string() }).optional(),
  settings: (section) => section,
  load: async () => ({
    build: ({ name, options }) => ({ component: new pulumi.ComponentResource("test:notes:Notes", name, {}, options()) }),
  }),
});
`;

/** `index.ts` of a thin repository with few parts of ours, and that add-on. */
export const FEW_PARTS = `
import { definePlatform, standardAddons, standardEngines } from "inference-stacks";

const { tgi, ray, triton, ...engines } = standardEngines;
const { modelControl, observability } = standardAddons;

export default definePlatform({
  engines: Object.values(engines),
  addons: [modelControl, observability, () => import("./addons/notes")],
  transform: ({ name, type }) => {
    if (type === "test:notes:Notes") {
      process.env.TRANSFORMED = name;
    }
    return undefined;
  },
});
`;
