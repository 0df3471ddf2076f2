import type { ResourceTransformation } from "@pulumi/pulumi";
import type { CatalogRows } from "../catalog/chosen-rows";
import type { EngineServers } from "../components/serving/engine-servers";
import type { Engine } from "../engines/engine";
import type { Addon } from "../stacks/addons/addon";

/** Loaded only by platforms that have it: `() => import("./addons/notes")`. */
export type Part<Kind> = () => Promise<{ readonly default: Kind }>;

/** An engine's two halves: its descriptor for the planner, and its components. */
export interface EnginePart {
  /** In environments: `models.<name>.engine`. */
  readonly name: string;
  readonly engine: Engine;
  /** Loaded after the descriptors of all engines. */
  readonly servers: () => Promise<EngineServers>;
}

/** What a repository makes its platform of. */
export interface PlatformParts {
  /** The first is the default of models. */
  readonly engines: readonly Part<EnginePart>[];
  /** In build order: an add-on comes after those whose component it uses. */
  readonly addons: readonly Part<Addon>[];
  /** Rows of its own, besides ours. @default none */
  readonly catalog?: CatalogRows;
  /** Changes resources before they are declared. @default none */
  readonly transform?: ResourceTransformation;
}
