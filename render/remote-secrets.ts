import type { PendingValue } from "./pending-values";

/** Where a value lies in the secret store. */
export interface RemoteReference {
  readonly key: string;
  readonly property: string;
}

/** A Secret and the key in it. */
export interface SecretPlace {
  readonly namespace: string;
  readonly secret: string;
  readonly property: string;
}

/** One value that must lie in the secret store before what is rendered can run. */
export interface RemoteSecret extends RemoteReference {
  /** Undefined for a text that the program makes out of secrets in a way that cannot be repeated in the cluster. */
  readonly value: PendingValue | undefined;
  /** `namespace/secret` of each Secret that gets it. */
  readonly usedBy: readonly string[];
}

/** Decides where the secret values of an environment lie: `<environment>/<namespace>/<secret>`, each value once. */
export class RemoteSecrets {
  private readonly entries = new Map<
    string,
    { reference: RemoteReference; value?: PendingValue; usedBy: Set<string> }
  >();

  constructor(
    private readonly environment: string,
    /** Name of the ClusterSecretStore. */
    readonly store: string,
  ) {}

  /** Gives a value its place, unless it has one: two Secrets that need the same value share it. */
  claim(value: PendingValue, place: SecretPlace): RemoteReference {
    return this.entry(value.id, place, value).reference;
  }

  /** Where a value lies, for a Secret that needs it. */
  use(value: PendingValue, place: SecretPlace): RemoteReference {
    const entry = this.entry(value.id, place, value);
    entry.usedBy.add(`${place.namespace}/${place.secret}`);
    return entry.reference;
  }

  /** A whole key of a Secret, for a text that only the program could make. */
  useOpaque(place: SecretPlace): RemoteReference {
    const entry = this.entry(`text::${place.namespace}::${place.secret}::${place.property}`, place, undefined);
    entry.usedBy.add(`${place.namespace}/${place.secret}`);
    return entry.reference;
  }

  /** What must lie in the store, sorted by place. */
  list(): RemoteSecret[] {
    return [...this.entries.values()]
      .map(({ reference, value, usedBy }) => ({ ...reference, value, usedBy: [...usedBy].sort() }))
      .sort((a, b) => (`${a.key}\n${a.property}` < `${b.key}\n${b.property}` ? -1 : 1));
  }

  private entry(id: string, { namespace, secret, property }: SecretPlace, value: PendingValue | undefined) {
    const found = this.entries.get(id) ?? {
      reference: { key: `${this.environment}/${namespace}/${secret}`, property },
      ...(value && { value }),
      usedBy: new Set<string>(),
    };
    this.entries.set(id, found);
    return found;
  }
}

/** Name of a value, where no Secret's key names it. */
export function nameOf({ origin }: PendingValue): string {
  switch (origin.kind) {
    case "config":
      return origin.key;
    case "provider":
      return origin.name;
    case "deployment":
      return origin.maker;
  }
}
