import type { MachineShape } from "../../../catalog/shapes";
import { machineOf } from "./machines";
import type { Path, ProblemDraft } from "./problems";
import type { CoreConfig, PoolConfig } from "./schema";
import type { WrittenGateway } from "./wildcard-dns";

/** The gateway's name may be missing, or be said twice: a rule tells that. */
type WrittenConfig = Omit<CoreConfig, "gateway"> & { readonly gateway: WrittenGateway };

/**
 * What rules between fields look at. Sections that cannot be read are missing: their own problems are told already.
 *
 * `Own` is the section of the add-on that the rules are of.
 */
export interface RuleContext<Own extends object = object> {
  readonly sections: Partial<WrittenConfig & Own>;
  /** Every name that is declared, also of entries that cannot be read; the keys of the secrets that are set. */
  readonly declared: {
    readonly pools: readonly string[];
    readonly models: readonly string[];
    /** Of all models. */
    readonly adapters: readonly string[];
    /** What stands under each model in the file: defaults are filled in elsewhere. */
    readonly modelKeys: Readonly<Record<string, readonly string[]>>;
    readonly secrets: readonly string[];
    /** Texts of the secrets by key, where they are known: at deployment alone. Never for messages. */
    readonly secretTexts: Readonly<Record<string, string>>;
    /** Whether something stands at a path of the file, right or wrong. */
    readonly isWritten: (path: Path) => boolean;
  };
}

/** Yields what is wrong; nothing when it cannot tell. */
export type Rule<Own extends object = object> = (context: RuleContext<Own>) => Iterable<ProblemDraft>;

/** The machine of a pool, or undefined while the pool itself has problems. */
export function knownMachine(pool: PoolConfig | undefined): MachineShape | undefined {
  if (!pool || (pool.shape === undefined) === (pool.node === undefined)) {
    return undefined;
  }
  try {
    return machineOf(pool);
  } catch {
    return undefined;
  }
}

/** The pools, once all of them are known machines: before that, nothing can be said of who fits where. */
export function knownPools({ sections, declared }: RuleContext): CoreConfig["pools"] | undefined {
  const { pools } = sections;
  const known = pools && declared.pools.length > 0 && declared.pools.every((name) => knownMachine(pools[name]));
  return known ? pools : undefined;
}
