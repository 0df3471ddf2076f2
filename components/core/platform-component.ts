import * as pulumi from "@pulumi/pulumi";
import type { Connections } from "./connections";
import type { ImageSource } from "./image-source";
import { isKnown } from "./known";
import type { MeshMembership } from "./mesh-membership";
import type { People } from "./people";

/** Kubernetes names: what the API server accepts for a DNS label. */
const NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/** What components take from their ancestors instead of passing it on by hand, as providers are taken. */
export interface Inherited {
  readonly images?: ImageSource;
  /** Of the whole platform: each namespace opens for its own. @default none: namespaces stay closed */
  readonly connections?: Connections;
  /** Who may do what in its namespaces. @default nobody, but who has rights from elsewhere */
  readonly people?: People;
  /** @default there is no mesh */
  readonly mesh?: MeshMembership;
}

/**
 * Base of every component. It owns three rules of the house, so that no component can forget one:
 * the type token is `inference:<module>:<Noun>`, every child descends from its component, and every
 * child's logical name starts with its component's name (names are part of a resource's identity:
 * an unprefixed child collides as soon as a component is used twice).
 */
export abstract class PlatformComponent extends pulumi.ComponentResource {
  /** Logical name of this component, the prefix of all its children. */
  protected readonly componentName: string;
  /** What an ancestor gave to all of its descendants. */
  readonly inherited: Inherited;
  /** The SDK's: unknown where the engine has left the component out, because something that it depends on has failed. */
  declare private readonly made: pulumi.Output<undefined>;

  /**
   * @param token `<module>:<Noun>`, for example `serving:VllmServer`.
   * @param gives what this component gives to its descendants, besides what it inherits.
   * @throws Error when `name` is no DNS label.
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
   * Completes the component, unless the engine has left it out: told of one that it does not know, the engine stops everything, also with
   * `--continue-on-error` (3.259, deploy/step_executor.go).
   */
  protected override registerOutputs(outputs?: pulumi.Inputs): void {
    const done = pulumi.runtime.rpcKeepAlive();
    const complete = async () => {
      if (pulumi.runtime.isDryRun() || (await isKnown(this.made))) {
        super.registerOutputs(outputs);
      }
    };
    // A registration that was rejected is the SDK's to report.
    complete()
      .catch(() => undefined)
      .finally(done);
  }

  /** Logical name of a child. */
  protected child(suffix: string): string {
    return `${this.componentName}-${suffix}`;
  }

  /** Options of a child: `this` as parent, plus what the caller adds. */
  protected childOptions(): { parent: pulumi.Resource };
  protected childOptions<T extends pulumi.ResourceOptions>(extra: T): T & { parent: pulumi.Resource };
  protected childOptions(extra: pulumi.ResourceOptions = {}): pulumi.ResourceOptions & { parent: pulumi.Resource } {
    return { ...extra, parent: this };
  }
}

/** What a child of `parent` takes from its ancestors. */
export function inheritedFrom(parent: pulumi.Resource | undefined): Inherited {
  return parent instanceof PlatformComponent ? parent.inherited : {};
}

/** Runs for the component itself and for each descendant, in process, also under mocks. */
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
