/**
 * What add-ons bring to config, plan and platform, and what they are given for it. An add-on has two halves: this one is
 * data and pure functions, so that a config is checked without Pulumi; `load` leads to the other, which makes resources.
 */
import type * as pulumi from "@pulumi/pulumi";
import type { z } from "zod";
import type { FolderContents } from "../../components/argo-cd/folder-contents";
import type { CertManager } from "../../components/certificates/cert-manager";
import type { Cluster } from "../../components/core/cluster";
import type { Connection, TracePods } from "../../components/core/connections";
import type { GpuAccessByVendor } from "../../components/core/gpu-access";
import type { OutsidePublished } from "../../components/gateway/published";
import type { RunTimeModels } from "../../components/gateway/run-time-models";
import type { GatewayService } from "../../components/gateway/service-routes";
import type { RequestSource } from "../../components/observability/dashboards/links";
import type { DashboardSpec } from "../../components/observability/dashboards/spec";
import type { MetricsApi } from "../../components/observability/existing-operator";
import type { GpuPool } from "../../components/observability/gpu-metrics";
import type { RuleSubject } from "../../components/observability/rules/types";
import type { ScrapeTarget } from "../../components/observability/targets";
import type { ModelEndpoint } from "../../components/serving/endpoint";
import type { ControlAccess } from "../../components/serving/model-server";
import type { Serving } from "../../components/serving/serving";
import type { ModelStore } from "../../components/storage/model-store";
import type { BilledVolumes } from "../../planner/cloud-services";
import type { CapacityProblem, DeploymentPlan } from "../../planner/types";
import type { Rule } from "../config/core/rule";
import type { CoreConfig } from "../config/core/schema";

/** The environment's core, and where its models fit. */
export interface Planned {
  readonly environment: CoreConfig;
  readonly plan: DeploymentPlan;
}

/** The environment's core alone: models have no place yet. */
export interface Configured {
  readonly environment: CoreConfig;
}

/** Volumes that an add-on claims, as they are billed. */
export interface ClaimedVolumes {
  readonly volumes: readonly BilledVolumes[];
  /** Volumes whose size only a chart knows, as the bill names them. @default none */
  readonly notPriced?: readonly string[];
  /** Room beside the planned models wherever an engine keeps models, GiB. @default 0 */
  readonly spareModelGiB?: number;
}

/** Who will answer where, before anything is made. */
export interface LaidOut extends Planned {
  readonly cluster: Cluster;
  readonly endpoints: readonly ModelEndpoint[];
  /** What Prometheus scrapes, of the core and of all add-ons. */
  readonly targets: readonly ScrapeTarget[];
  readonly gpuPools: readonly GpuPool[];
  /** Where all parts report spans of requests. @default nowhere */
  readonly traces: TracePods | undefined;
  /** Data sources of Grafana that find a request, of all add-ons. */
  readonly requestSources: readonly RequestSource[];
}

/** What add-ons are built on: all of the core, and the add-ons above in the table. */
export interface Foundation extends LaidOut {
  /** Name of the component to make. */
  readonly name: string;
  /** Its options; besides what every add-on waits for, it waits for `after`. */
  readonly options: (...after: readonly pulumi.Resource[]) => pulumi.ComponentResourceOptions;
  readonly certManager: CertManager;
  readonly store: ModelStore;
  readonly serving: Serving;
  readonly gpuAccess: GpuAccessByVendor;
  /** Keys of the gateway's consumers, by name. */
  readonly consumerKeys: Readonly<Record<string, pulumi.Output<string>>>;
  /** Alerts and recorded series of all add-ons, and of what this cluster has beyond others. */
  readonly alerts: readonly RuleSubject[];
  /** Dashboards of all add-ons. */
  readonly dashboards: readonly DashboardSpec[];
  /** What is left to the rendered folder where Argo CD applies it: complete once the platform's constructor has ended. */
  readonly folder: () => FolderContents;
  /**
   * The component of another add-on; `undefined` where that is off.
   *
   * @throws Error when the other stands below in the table.
   */
  readonly component: <Component>(other: Buildable<Component>) => Component | undefined;
}

/** What is known by then, and the add-on's own part of the environment. */
export type Given<Known, Settings, SecretKey extends string> = Known & {
  readonly settings: Settings;
  readonly secrets: AddonSecrets<SecretKey>;
};

/** Secrets that are set. */
export type AddonSecrets<SecretKey extends string> = Readonly<Partial<Record<SecretKey, pulumi.Output<string>>>>;

/** What `pulumi stack output` shows. */
export type StackOutputs = Readonly<Record<string, pulumi.Input<unknown>>>;

export interface Built<Component> {
  readonly component: Component;
  /** @default none */
  readonly stackOutputs?: StackOutputs;
}

/** What a component can be asked of: an add-on, whatever it is given. */
export interface Buildable<Component> {
  readonly key: string;
  readonly load: () => Promise<{ readonly build: (given: never) => Built<Component> }>;
}

/** Secrets are text, and may be left out: whether one is needed depends on the section. */
export type SecretField = z.ZodType<string | undefined, string | undefined>;

/** An environment, as one add-on sees it beside the core. */
export type OwnSection<Key extends string, Section extends z.ZodType> = { readonly [Own in Key]?: z.output<Section> };

/** What the author of an add-on writes. */
export interface AddonSpec<
  Key extends string,
  Section extends z.ZodType,
  SecretKey extends string,
  Settings,
  Component extends pulumi.ComponentResource,
> {
  /** Its section in an environment. */
  readonly key: Key;
  /** What may stand there; optional, or with a default, because environments may leave an add-on out. */
  readonly section: Section;
  /** Keys of their own beside the section: Pulumi marks whole keys as secret. @default none */
  readonly secrets?: Readonly<Record<SecretKey, SecretField>>;
  /** Those that must be set while the add-on is on, with the reason. @default none */
  readonly requiredSecrets?: Readonly<Partial<Record<SecretKey, string>>>;
  /** What the section asks for, where it stands. `undefined` while it leaves the add-on off: nothing is planned or made then. */
  readonly settings: (section: NonNullable<z.output<Section>>) => Settings | undefined;
  /** Rules between its fields, and with those of the core. @default none */
  readonly rules?: readonly Rule<OwnSection<Key, Section>>[];
  /** What it claims volumes for: the plan prices them. @default nothing */
  readonly volumes?: (given: Given<Configured, Settings, SecretKey>) => ClaimedVolumes;
  /** What forbids the plan, or must be known of it whatever else is wrong. @default nothing */
  readonly problems?: (given: Given<Planned, Settings, SecretKey>) => readonly CapacityProblem[];
  /** What deserves a look before a plan is deployed that nothing forbids. @default nothing */
  readonly advice?: (given: Given<Planned, Settings, SecretKey>) => readonly CapacityProblem[];
  /** Leave to drive the engines at run time, which only one add-on of an environment may have. @default none */
  readonly engineControl?: (given: Given<Planned, Settings, SecretKey>) => ControlAccess;
  /** Servers of others that the gateway publishes, beside the environment's external models. @default none */
  readonly outside?: (given: Given<Planned, Settings, SecretKey>) => readonly OutsidePublished[];
  /** What the gateway routes to besides models. @default nothing */
  readonly services?: (given: Given<Planned, Settings, SecretKey>) => readonly GatewayService[];
  /** What answers for models that no route of the gateway names, which only one add-on of an environment may have. @default nobody */
  readonly runTimeModels?: (given: Given<Planned, Settings, SecretKey>) => RunTimeModels | undefined;
  /** Where all parts report spans of requests, which only one add-on of an environment may have. @default nowhere */
  readonly traceReceiver?: (given: Given<Planned, Settings, SecretKey>) => TracePods;
  /** Who answers queries about metrics, which one add-on of an environment has. @default it does not */
  readonly metricsApi?: (given: Given<Planned, Settings, SecretKey>) => MetricsApi;
  /** What Prometheus scrapes of it. @default nothing */
  readonly targets?: (given: Given<Planned, Settings, SecretKey>) => readonly ScrapeTarget[];
  /** Kubernetes namespaces that it makes. @default none */
  readonly namespaces?: (given: Given<Planned, Settings, SecretKey>) => readonly string[];
  /** Names under which it keeps copies of its data in the model store. @default none */
  readonly keepers?: (given: Given<Planned, Settings, SecretKey>) => readonly string[];
  /** Who connects to whom because of it. @default nobody */
  readonly connections?: (given: Given<LaidOut, Settings, SecretKey>) => readonly Connection[];
  /** Alerts and recorded series. They are there in every environment: where the add-on is off, they have no series. @default none */
  readonly alerts?: readonly RuleSubject[];
  /** Dashboards, as alerts in every environment. @default none */
  readonly dashboards?: readonly DashboardSpec[];
  /** Data source that it brings to Grafana, in which a request is found: dashboards link there. @default none */
  readonly requestSource?: (given: Given<Planned, Settings, SecretKey>) => RequestSource | undefined;
  /** Of its component, below the platform's: part of the identity of all of its resources. @default the key */
  readonly componentName?: string;
  /** The half that makes resources. */
  readonly load: () => Promise<{ readonly build: (given: Given<Foundation, Settings, SecretKey>) => Built<Component> }>;
}
