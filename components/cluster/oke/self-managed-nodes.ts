import type { Provider } from "@pulumi/oci/provider";
import type * as pulumi from "@pulumi/pulumi";
import type { PoolsReady } from "../../core/cluster";
import { PlatformComponent } from "../../core/platform-component";
import { availabilityDomainName, availabilityDomainNames } from "./availability-domains";
import type { JoinedCluster } from "./cloud-init/join";
import { clusterNetwork } from "./cluster-network";
import { instanceConfiguration } from "./instance-configuration";
import { instancePool } from "./instance-pool";
import type { OkeKeys } from "./keys";
import type { OkeNetwork } from "./network";
import { selfManagedIdentity } from "./self-managed-identity";
import type { OkePool, OkeSettings } from "./settings";

export interface OkeSelfManagedNodesArgs {
  readonly settings: OkeSettings;
  readonly clusterId: pulumi.Output<string>;
  readonly cluster: pulumi.Output<JoinedCluster>;
  readonly network: OkeNetwork;
  readonly keys: OkeKeys;
  /** Provider of the home region. */
  readonly home: Provider;
  /** Pools without an OKE node pool. */
  readonly pools: readonly OkePool[];
}

/**
 * Nodes that join by themselves: cluster networks (with RDMA) and instance pools (with platform
 * settings). OKE neither counts, drains nor scales them.
 */
export class OkeSelfManagedNodes extends PlatformComponent {
  /** Running machines. The cloud does not report whether they joined: pods wait until then. */
  readonly ready: PoolsReady;

  constructor(name: string, args: OkeSelfManagedNodesArgs, opts?: pulumi.ComponentResourceOptions) {
    super("cluster:OkeSelfManagedNodes", name, opts);
    const { settings, clusterId, cluster, network, keys, home, pools } = args;
    const mayJoin = selfManagedIdentity(
      this.child("identity"),
      { settings, clusterId, keys },
      this.childOptions({ provider: home }),
    );
    const domains = availabilityDomainNames(settings, { parent: this });
    const made = pools.map((pool): readonly [string, pulumi.Resource] => {
      const { plan } = pool;
      const configuration = instanceConfiguration(
        this.child(`${plan.name}-machine`),
        pool,
        { settings, cluster, network, keys },
        this.childOptions(),
      );
      const make = pool.madeBy === "cluster-network" ? clusterNetwork : instancePool;
      const machines = make(
        this.child(plan.name),
        pool,
        {
          settings,
          instanceConfigurationId: configuration.id,
          subnetId: network.subnetIds.nodes,
          availabilityDomains: pool.availabilityDomains.map((number) =>
            domains.apply((names) => availabilityDomainName(plan.name, number, names)),
          ),
        },
        // Including routes and security rules: a machine that cannot reach its cluster at boot does
        // not join.
        this.childOptions({ dependsOn: [network, ...mayJoin] }),
      );
      return [plan.name, machines];
    });
    this.ready = Object.fromEntries(made.map(([pool, machines]) => [pool, [machines]]));
    this.registerOutputs({});
  }
}
