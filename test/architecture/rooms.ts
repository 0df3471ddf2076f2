/** A folder of the program, and which others it may import. */
export interface Room {
  readonly folder: string;
  /** Rooms further up in the table; no more than its files import, so that the table is the picture of the program. */
  readonly imports: readonly string[];
  /** Rooms of which it may take types alone, wherever they stand: they leave nothing behind when it runs. */
  readonly types?: readonly string[];
  /** It makes, records or judges resources, so it may load Pulumi; or only these files of it may. */
  readonly pulumi?: true | readonly string[];
}

const SERVICE = "services/model-control";

/**
 * Every folder of the program, the ground first: a room imports rooms above its own line only, so that no circle can
 * arise. A file belongs to the longest folder that its path begins with. The picture in docs/architecture.md shows the
 * same.
 */
export const ROOMS: readonly Room[] = [
  { folder: "names", imports: [] },
  { folder: "kubernetes", imports: [] },
  { folder: SERVICE, imports: [] },
  { folder: "catalog", imports: ["names"] },
  { folder: "downloads", imports: [] },
  // Charts as files: from their repositories, by digest, where the provider finds them.
  { folder: "charts", imports: ["names", "catalog", "downloads"] },
  { folder: "planner/model", imports: ["catalog"] },
  { folder: "planner/memory", imports: ["names", "planner/model"] },
  { folder: "engines", imports: ["names", "catalog", "planner/model", "planner/memory"], types: ["planner"] },
  { folder: "planner", imports: ["names", "catalog", "planner/model", "planner/memory", "engines"] },
  { folder: "components/core", imports: ["names", "kubernetes", "catalog", "engines", "planner"], pulumi: true },
  // They run in pods, from a ConfigMap: nothing of the program is there.
  { folder: "components/storage/scripts", imports: [] },
  { folder: "components/serving/scripts", imports: [], types: ["planner"] },
  { folder: "components/node/scripts", imports: [] },
  { folder: "components/model-control/scripts", imports: [], types: [SERVICE] },
  { folder: "components/gpu/scripts", imports: [] },
  {
    folder: "components/cluster",
    imports: ["names", "kubernetes", "catalog", "planner", "components/core"],
    pulumi: true,
  },
  { folder: "components/certificates", imports: ["names", "planner", "components/core"], pulumi: true },
  {
    folder: "components/storage",
    imports: [
      "names",
      "catalog",
      "engines",
      "planner",
      "components/core",
      "components/certificates",
      "components/storage/scripts",
    ],
    pulumi: true,
  },
  {
    folder: "components/gpu",
    imports: ["names", "catalog", "planner", "components/core", "components/gpu/scripts"],
    pulumi: true,
  },
  {
    folder: "components/node",
    imports: ["names", "catalog", "engines", "planner", "components/core", "components/node/scripts"],
    pulumi: true,
  },
  {
    folder: "components/mesh",
    imports: ["names", "kubernetes", "catalog", "planner", "components/core"],
    types: ["components/observability"],
    pulumi: true,
  },
  {
    folder: "components/serving",
    imports: [
      "names",
      "kubernetes",
      "catalog",
      "engines",
      "planner",
      "components/core",
      "components/node",
      "components/serving/scripts",
      "components/storage",
    ],
    types: [SERVICE],
    pulumi: true,
  },
  {
    folder: "components/autoscaling",
    imports: [
      "names",
      "catalog",
      "engines",
      "planner",
      "components/core",
      "components/cluster",
      "components/certificates",
    ],
    types: ["components/serving", "components/observability"],
    pulumi: true,
  },
  {
    folder: "components/gateway",
    imports: [
      "names",
      "catalog",
      "planner",
      "components/core",
      "components/autoscaling",
      "components/certificates",
      "components/node",
      "components/serving",
    ],
    pulumi: true,
  },
  {
    folder: "components/observability",
    imports: [
      "names",
      "catalog",
      "engines",
      "planner",
      "components/core",
      "components/certificates",
      "components/node",
      "components/serving",
    ],
    pulumi: true,
  },
  {
    folder: "components/model-control",
    imports: [
      "names",
      SERVICE,
      "catalog",
      "engines",
      "planner",
      "components/core",
      "components/model-control/scripts",
      "components/serving",
      "components/gateway",
      "components/observability",
    ],
    pulumi: true,
  },
  {
    folder: "components/beta9",
    imports: ["names", "catalog", "planner", "components/core", "components/certificates", "components/storage"],
    pulumi: true,
  },
  {
    folder: "components/open-webui",
    imports: ["names", "catalog", "components/core", "components/gateway", "components/node", "components/storage"],
    types: ["components/observability"],
    pulumi: true,
  },
  {
    folder: "components/portainer",
    imports: ["names", "catalog", "components/core"],
    types: ["components/observability"],
    pulumi: true,
  },
  {
    folder: "components/rancher",
    imports: ["names", "catalog", "components/core"],
    types: ["components/observability"],
    pulumi: true,
  },
  {
    folder: "components/tracing",
    imports: ["names", "catalog", "components/core", "components/gateway", "components/observability"],
    pulumi: true,
  },
  {
    folder: "components/logging",
    imports: ["names", "catalog", "components/core", "components/observability"],
    pulumi: true,
  },
  {
    folder: "components/argo-cd",
    imports: ["names", "kubernetes", "catalog", "planner", "components/core"],
    types: ["components/observability"],
    pulumi: true,
  },
  // The part of a configuration that every environment has, and what add-ons write theirs in: fields, rules, problems.
  { folder: "stacks/config/core", imports: ["names", "catalog", "engines", "planner"] },
  {
    folder: "stacks/addons",
    imports: [
      "names",
      SERVICE,
      "catalog",
      "engines",
      "planner",
      "components/core",
      "components/certificates",
      "components/storage",
      "components/serving",
      "components/gateway",
      "components/observability",
      "components/model-control",
      "components/beta9",
      "components/open-webui",
      "components/portainer",
      "components/rancher",
      "components/tracing",
      "components/logging",
      "components/argo-cd",
      "stacks/config/core",
    ],
    pulumi: true,
  },
  {
    folder: "stacks/config",
    imports: ["names", "kubernetes", "catalog", "engines", "planner", "stacks/config/core", "stacks/addons"],
    pulumi: ["stacks/config/load.ts"],
  },
  { folder: "stacks/checkpoint", imports: ["planner/model", "stacks/config"] },
  {
    folder: "stacks/advice",
    imports: ["names", "kubernetes", "catalog", "engines", "planner", "stacks/addons", "stacks/config"],
  },
  {
    folder: "stacks",
    imports: [
      "names",
      "downloads",
      "charts",
      "kubernetes",
      "catalog",
      "planner/model",
      "engines",
      "planner",
      "components/core",
      "components/cluster",
      "components/autoscaling",
      "components/certificates",
      "components/storage",
      "components/node",
      "components/mesh",
      "components/serving",
      "components/gateway",
      "components/gpu",
      "components/observability",
      "components/argo-cd",
      "stacks/config/core",
      "stacks/addons",
      "stacks/config",
      "stacks/checkpoint",
      "stacks/advice",
    ],
    pulumi: true,
  },
  { folder: "offline", imports: ["catalog", "planner", "stacks/config", "stacks"], pulumi: true },
  // What a repository makes its own platform of: the npm package's front.
  {
    folder: "platform",
    imports: ["names", "catalog", "engines", "components/serving", "stacks/addons", "stacks/config", "stacks"],
    pulumi: ["platform/parts.ts"],
  },
  // A bundle of them is published by itself: what it takes along must be names and data.
  { folder: "policies", imports: ["names", "kubernetes", "catalog"], pulumi: true },
  {
    folder: "report",
    imports: [
      "names",
      "kubernetes",
      "catalog",
      "planner/memory",
      "engines",
      "planner",
      "stacks/config/core",
      "stacks/config",
      "stacks",
      "offline",
      "policies",
    ],
  },
  // What fetches all that an environment needs, for a site without internet.
  {
    folder: "bundle",
    imports: [
      "downloads",
      "names",
      "charts",
      "kubernetes",
      "catalog",
      "engines",
      "planner",
      "components/storage",
      "components/storage/scripts",
      "stacks/addons",
      "stacks",
      "offline",
      "report",
    ],
  },
  {
    folder: "render",
    imports: ["names", "kubernetes", "planner", "components/argo-cd", "stacks/addons", "offline", "report"],
  },
  {
    folder: "rehearsal",
    imports: ["downloads", "names", "kubernetes", "catalog", "planner", "stacks/config", "stacks", "offline", "report"],
  },
  {
    folder: "cli",
    imports: [
      "names",
      "kubernetes",
      "charts",
      "catalog",
      "planner/model",
      "planner/memory",
      "engines",
      "planner",
      // The registry is asked as sync Jobs ask it.
      "components/storage/scripts",
      "stacks/config/core",
      "stacks/config",
      "stacks/checkpoint",
      "stacks",
      "offline",
      "report",
      "bundle",
      "render",
      "rehearsal",
    ],
    types: [SERVICE],
  },
  // Run by hand: records of what is installed, which tests compare with, pages of the documentation, and mutants.
  {
    folder: "scripts",
    imports: ["names", "catalog", "engines", "planner", "stacks/config", "offline", "policies", "report", "cli"],
  },
];
