import type * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { PlatformComponent } from "../core/platform-component";
import { burstable } from "../core/resources";
import { Valkey } from "../core/valkey";
import { RATE_LIMIT_STORE } from "./names";

export interface RateLimitStoreArgs {
  /** Where the rate limit service runs: the password stays in one namespace. */
  readonly namespace: pulumi.Input<string>;
}

/**
 * Valkey, in memory alone, with what tenants used up in the current minute. A restart loses that minute's counters: each tenant
 * may use its quota once more, which is less than what a volume would cost in waiting for a node that reaches it.
 */
export class RateLimitStore extends PlatformComponent {
  /** Holds the password. */
  readonly secret: kubernetes.core.v1.Secret;

  constructor(name: string, { namespace }: RateLimitStoreArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gateway:RateLimitStore", name, opts);
    const { secret } = new Valkey(
      this.componentName,
      {
        namespace,
        instance: RATE_LIMIT_STORE,
        settings: SETTINGS,
        resources: burstable({ cpu: 0.05, memoryGiB: 0.0625 }, { cpu: 0.5, memoryGiB: 0.125 }),
      },
      this.childOptions(),
    );
    this.secret = secret;
    this.registerOutputs({});
  }
}

/**
 * A counter per quota and minute, of some 200 bytes, which goes one to six minutes later (the service's
 * EXPIRATION_JITTER_MAX_SECONDS is 300): 256 quotas take less than 1 MB. Were it ever full, what expires next would go first.
 */
const SETTINGS = ["appendonly no", 'save ""', "maxmemory 32mb", "maxmemory-policy volatile-ttl"];
