/** A folder of the program, and which others it may import. */
export interface Room {
  readonly folder: string;
  /** Rooms further up in the table. */
  readonly imports: readonly string[];
  /** Rooms of which it may take types alone, wherever they stand: they leave nothing behind when it runs. */
  readonly types?: readonly string[];
  /** It makes, records or judges resources, so it may load Pulumi; or only these files of it may. */
  readonly pulumi?: true | readonly string[];
}

const GROUND = ["names", "kubernetes"];
const PLANNER = ["catalog", "planner/model", "planner/memory", "engines", "planner"];
const SERVICE = "services/model-control";

/**
 * Every folder of the program, the ground first: a room imports rooms above its own line only, so that no circle can
 * arise. A file belongs to the longest folder that its path begins with. The picture in docs/architecture.md shows the
 * same.
 */
export const ROOMS: readonly Room[] = [
  { folder: "names", imports: [] },
  { folder: "kubernetes", imports: ["names"] },
  { folder: SERVICE, imports: [] },
  { folder: "catalog", imports: ["names"] },
  { folder: "planner/model", imports: ["names", "catalog"] },
  // A question to the memory planner names an engine and carries its options.
  { folder: "planner/memory", imports: ["names", "catalog", "planner/model"], types: ["engines", "planner"] },
  { folder: "engines", imports: ["names", "catalog", "planner/model", "planner/memory"], types: ["planner"] },
  { folder: "planner", imports: ["names", "catalog", "planner/model", "planner/memory", "engines"] },
  { folder: "components/core", imports: [...GROUND, ...PLANNER], pulumi: true },
  // They run in pods, from a ConfigMap: nothing of the program is there.
  { folder: "components/storage/scripts", imports: [] },
  { folder: "components/serving/scripts", imports: [], types: ["planner"] },
  { folder: "components/model-control/scripts", imports: [], types: [SERVICE] },
  { folder: "components/cluster", imports: [...GROUND, ...PLANNER, "components/core"], pulumi: true },
  { folder: "components/certificates", imports: [...GROUND, ...PLANNER, "components/core"], pulumi: true },
  {
    folder: "components/storage",
    imports: [...GROUND, ...PLANNER, "components/core", "components/certificates", "components/storage/scripts"],
    pulumi: true,
  },
  {
    folder: "components/serving",
    imports: [...GROUND, ...PLANNER, "components/core", "components/storage", "components/serving/scripts"],
    pulumi: true,
  },
  {
    folder: "components/gateway",
    imports: [...GROUND, ...PLANNER, "components/core", "components/certificates", "components/serving"],
    pulumi: true,
  },
  {
    folder: "components/observability",
    imports: [...GROUND, ...PLANNER, "components/core", "components/certificates", "components/serving"],
    pulumi: true,
  },
  {
    folder: "components/model-control",
    imports: [
      ...GROUND,
      ...PLANNER,
      "components/core",
      "components/serving",
      "components/gateway",
      "components/observability",
      "components/model-control/scripts",
    ],
    types: [SERVICE],
    pulumi: true,
  },
  {
    folder: "components/beta9",
    imports: [...GROUND, ...PLANNER, "components/core", "components/certificates", "components/storage"],
    pulumi: true,
  },
  { folder: "stacks/config", imports: [...GROUND, ...PLANNER], pulumi: ["stacks/config/load.ts"] },
  {
    folder: "stacks/addons",
    imports: [
      ...GROUND,
      ...PLANNER,
      "components/core",
      "components/certificates",
      "components/storage",
      "components/serving",
      "components/gateway",
      "components/observability",
      "components/model-control",
      "components/beta9",
      "stacks/config",
    ],
    pulumi: true,
  },
  { folder: "stacks/checkpoint", imports: [...GROUND, ...PLANNER, "stacks/config"] },
  { folder: "stacks/advice", imports: [...GROUND, ...PLANNER, "stacks/config", "stacks/addons"] },
  {
    folder: "stacks",
    imports: [
      ...GROUND,
      ...PLANNER,
      "components/core",
      "components/cluster",
      "components/certificates",
      "components/storage",
      "components/serving",
      "components/gateway",
      "components/observability",
      "components/model-control",
      "components/beta9",
      "stacks/config",
      "stacks/addons",
      "stacks/checkpoint",
      "stacks/advice",
    ],
    pulumi: true,
  },
  { folder: "offline", imports: [...GROUND, ...PLANNER, "stacks/config", "stacks"], pulumi: true },
  // A bundle of them is published by itself: what it takes along must be names and data.
  { folder: "policies", imports: [...GROUND, "catalog"], pulumi: true },
  { folder: "report", imports: [...GROUND, ...PLANNER, "stacks/config", "offline", "policies"] },
  { folder: "render", imports: [...GROUND, ...PLANNER, "stacks/config", "stacks/addons", "offline", "report"] },
  { folder: "rehearsal", imports: [...GROUND, ...PLANNER, "stacks/config", "offline", "report"] },
  {
    folder: "cli",
    imports: [
      ...GROUND,
      ...PLANNER,
      "stacks/config",
      "stacks/checkpoint",
      "stacks",
      "offline",
      "policies",
      "report",
      "render",
      "rehearsal",
    ],
    types: [SERVICE],
  },
];
