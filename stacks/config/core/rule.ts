import type { MachineShape } from "../../../catalog/shapes";
import { machineOf } from "./machines";
import type { Path, ProblemDraft } from "./problems";
import type { CoreConfig, PoolConfig } from "./schema";
import type { WrittenGateway } from "./wildcard-dns";

/** The gateway's name may be missing or set twice: a rule reports it. */
type WrittenConfig = Omit<CoreConfig, "gateway"> & { readonly gateway: WrittenGateway };

/**
 * Input of rules between fields. Unreadable sections are missing, with their problems already
 * reported.
 *
 * `Own` is the section of the add-on that the rules are of.
 */
export interface RuleContext<Own extends object = object> {
  readonly sections: Partial<WrittenConfig & Own>;
  /** All declared names, also of unreadable entries; keys of set secrets. */
  readonly declared: {
    readonly pools: readonly string[];
    readonly models: readonly string[];
    /** Of all models. */
    readonly adapters: readonly string[];
    /** As in the file: defaults come later. */
    readonly modelKeys: Readonly<Record<string, readonly string[]>>;
    readonly secrets: readonly string[];
    /** Texts of the secrets by key, where they are known: at deployment alone. Never for messages. */
    readonly secretTexts: Readonly<Record<string, string>>;
    /** Whether a value is at a path of the file, right or wrong. */
    readonly isWritten: (path: Path) => boolean;
  };
}

/** Yields problems; nothing when undecidable. */
export type Rule<Own extends object = object> = (context: RuleContext<Own>) => Iterable<ProblemDraft>;

/** Undefined while the pool has problems. */
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

/** Once all pools are known machines: before, placement cannot be judged. */
export function knownPools({ sections, declared }: RuleContext): CoreConfig["pools"] | undefined {
  const { pools } = sections;
  const known = pools && declared.pools.length > 0 && declared.pools.every((name) => knownMachine(pools[name]));
  return known ? pools : undefined;
}
