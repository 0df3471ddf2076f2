import * as pulumi from "@pulumi/pulumi";
import type { Connections } from "./connections";
import type { ImageSource } from "./image-source";
import { isKnown } from "./known";
import type { MeshMembership } from "./mesh-membership";
import type { People } from "./people";

/** DNS label, as the API server accepts. */
const NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/** Values that components inherit from ancestors, like providers. */
export interface Inherited {
  readonly images?: ImageSource;
  /**
   * Connections of the platform: each namespace opens its own.
   * @default none: namespaces stay closed
   */
  readonly connections?: Connections;
  /** Access to its namespaces. @default only permissions from elsewhere */
  readonly people?: People;
  /** @default no mesh */
  readonly mesh?: MeshMembership;
}

/**
 * Base of every component. Enforces three rules: type token `inference:<module>:<Noun>`, children
 * descend from their component, and child names start with the component's name. Unprefixed
 * children collide when a component is used twice.
 */
export abstract class PlatformComponent extends pulumi.ComponentResource {
  protected readonly componentName: string;
  readonly inherited: Inherited;
  /** SDK field: unknown if the engine skipped the component after a failed dependency. */
  declare private readonly made: pulumi.Output<undefined>;

  /**
   * @param token `<module>:<Noun>`: `serving:VllmServer`.
   * @param gives additional values for descendants.
   * @throws Error if `name` is not a DNS label.
   */
  protected constructor(
    token: string,
    name: string,
    opts?: pulumi.ComponentResourceOptions,
    gives: Partial<Inherited> = {},
  ) {
    if (!NAME.test(name)) {
      throw new Error(`component name "${name}" must be lower-case letters, digits and dashes (${NAME.source})`);
    }
    super(
      `inference:${token}`,
      name,
      { made: undefined },
      { ...opts, transformations: [...(opts?.transformations ?? []), requirePrefix(name)] },
    );
    this.componentName = name;
    this.inherited = { ...inheritedFrom(opts?.parent), ...gives };
  }

  /**
   * Registers outputs unless the engine skipped the component, which would stop it even with
   * `--continue-on-error` (3.259, deploy/step_executor.go).
   */
  protected override registerOutputs(outputs?: pulumi.Inputs): void {
    const done = pulumi.runtime.rpcKeepAlive();
    const complete = async () => {
      if (pulumi.runtime.isDryRun() || (await isKnown(this.made))) {
        super.registerOutputs(outputs);
      }
    };
    // The SDK reports failed registrations.
    complete()
      .catch(() => undefined)
      .finally(done);
  }

  protected child(suffix: string): string {
    return `${this.componentName}-${suffix}`;
  }

  /** Child options: `this` as parent, plus those of the caller. */
  protected childOptions(): { parent: pulumi.Resource };
  protected childOptions<T extends pulumi.ResourceOptions>(extra: T): T & { parent: pulumi.Resource };
  protected childOptions(extra: pulumi.ResourceOptions = {}): pulumi.ResourceOptions & { parent: pulumi.Resource } {
    return { ...extra, parent: this };
  }
}

export function inheritedFrom(parent: pulumi.Resource | undefined): Inherited {
  return parent instanceof PlatformComponent ? parent.inherited : {};
}

/** Runs for the component and each descendant, also under mocks. */
function requirePrefix(prefix: string): pulumi.ResourceTransformation {
  return ({ name, type }) => {
    if (name !== prefix && !name.startsWith(`${prefix}-`)) {
      throw new Error(
        `${type} "${name}" is a descendant of component "${prefix}": its name must start with "${prefix}-"`,
      );
    }
    return undefined;
  };
}
