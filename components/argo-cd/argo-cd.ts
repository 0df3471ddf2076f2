import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import * as random from "@pulumi/random";
import { standardLabels } from "../../names/labels";
import { ARGO_CD_CHARTS_NAMESPACE, ARGO_CD_NAMESPACE } from "../../names/namespaces";
import type { Stage } from "../../planner/types";
import { Controller } from "../core/controller";
import { customResource, type Manifest } from "../core/custom-resource";
import { ONE_AT_A_TIME } from "../core/disruption-budget";
import { IsolatedNamespace } from "../core/isolated-namespace";
import { PlatformComponent } from "../core/platform-component";
import { replicasOf } from "../core/replicas";
import { secretVersion } from "../core/secret-version";
import { clientCertificate } from "./client-certificate";
import { type FolderContents, type KnownFolder, knownFolder } from "./folder-contents";
import { ignoredDifferences } from "./ignored-differences";
import { ARGO_API, ARGO_CD, ARGO_CD_PODS, ARGO_CD_SECRETS, argoNames } from "./names";
import { chartProject, folderProject } from "./projects";
import { CASCADE, COMPARED_BY_SERVER, type FolderSource, rootApplication } from "./root-application";
import { argoCdValues } from "./values";

export interface ArgoCdArgs {
  /** Name of the platform in Argo CD. */
  readonly platform: string;
  readonly stage: Stage;
  readonly source: FolderSource;
  /** What opens the repository. @default it is public */
  readonly credentials?: { readonly username: string; readonly token: pulumi.Input<string> };
  /** Requested once all of it is registered. */
  readonly folder: () => FolderContents;
}

/** Argo CD, and the Application of the environment's rendered folder. */
export class ArgoCd extends PlatformComponent {
  /** Name of the root Application. */
  readonly application: string;
  /** Command that prints the password of the account admin. */
  readonly adminPassword: string;
  /** Command that opens the page at https://localhost:8080. */
  readonly page: string;

  constructor(name: string, args: ArgoCdArgs, opts?: pulumi.ComponentResourceOptions) {
    super("argo-cd:ArgoCd", name, opts);
    const controller = new Controller(
      this.child("controller"),
      {
        namespace: ARGO_CD_NAMESPACE,
        contents: (namespace) => {
          const content = clientCertificate(this.child("client-certificate"), this.childOptions());
          const clients = this.secret(namespace, "clients", ARGO_CD_SECRETS.clients, content);
          const values = argoCdValues({ ...args, podAnnotations: secretVersion(clients, content) });
          return {
            needs: [clients, ...this.secrets(namespace, args)],
            charts: [{ chart: "argo-cd", release: ARGO_CD, values }],
          };
        },
      },
      this.childOptions(),
    );
    // Contains only Applications: write access suffices to install charts.
    const charts = new IsolatedNamespace(
      this.child("charts"),
      { namespace: ARGO_CD_CHARTS_NAMESPACE, use: { holdsRights: true } },
      this.childOptions(),
    );
    if (replicasOf(args.stage) > 1) {
      this.budgets(controller);
    }
    this.applications(controller, charts.resources, args);
    const names = argoNames(args.platform);
    this.application = names.root;
    this.adminPassword = `kubectl -n ${ARGO_CD_NAMESPACE} get secret ${ARGO_CD_SECRETS.admin} -o jsonpath='{.data.password}' | base64 -d`;
    this.page = `kubectl -n ${ARGO_CD_NAMESPACE} port-forward service/${ARGO_CD_PODS.server.serviceAccount} 8080:443`;
    this.registerOutputs({ application: this.application });
  }

  /** Argo CD adds its certificate to the first. */
  private secrets(namespace: pulumi.Output<string>, { source, credentials }: ArgoCdArgs): pulumi.Resource[] {
    const generated = (suffix: string, length: number) =>
      new random.RandomPassword(this.child(suffix), { length, special: false }, this.childOptions());
    const admin = generated("admin-password", 32);
    return [
      this.secret(namespace, "settings", ARGO_CD_SECRETS.settings, {
        "admin.password": admin.bcryptHash,
        "server.secretkey": generated("session-key", 48).result,
      }),
      this.secret(namespace, "admin", ARGO_CD_SECRETS.admin, { password: admin.result }),
      this.secret(namespace, "redis", ARGO_CD_SECRETS.redis, { auth: generated("redis-password", 40).result }),
      ...(credentials
        ? [
            this.secret(
              namespace,
              "repository",
              ARGO_CD_SECRETS.repository,
              { type: "git", url: source.repository, username: credentials.username, password: credentials.token },
              { "argocd.argoproj.io/secret-type": "repository" },
            ),
          ]
        : []),
    ];
  }

  private secret(
    namespace: pulumi.Output<string>,
    suffix: string,
    objectName: string,
    stringData: Readonly<Record<string, pulumi.Input<string>>>,
    labels: Readonly<Record<string, string>> = {},
  ): kubernetes.core.v1.Secret {
    return new kubernetes.core.v1.Secret(
      this.child(suffix),
      {
        metadata: {
          name: objectName,
          namespace,
          // Argo CD finds its Secrets by this label.
          labels: { ...standardLabels(ARGO_CD, objectName), "app.kubernetes.io/part-of": "argocd", ...labels },
        },
        stringData: pulumi.secret(stringData),
      },
      this.childOptions(),
    );
  }

  /** The chart's cannot evict unready pods. */
  private budgets({ namespace, releases }: Controller): void {
    for (const { serviceAccount, podLabels } of [ARGO_CD_PODS.repoServer, ARGO_CD_PODS.server]) {
      new kubernetes.policy.v1.PodDisruptionBudget(
        this.child(`${serviceAccount}-budget`),
        {
          metadata: { name: serviceAccount, namespace, labels: standardLabels(ARGO_CD, serviceAccount) },
          spec: { ...ONE_AT_A_TIME, selector: { matchLabels: { ...podLabels } } },
        },
        this.childOptions<pulumi.CustomResourceOptions>({ dependsOn: [...releases] }),
      );
    }
  }

  /** The AppProjects, and the root Application in one of them. */
  private applications(
    { namespace, releases }: Controller,
    chartsNamespace: readonly pulumi.Resource[],
    { platform, source, folder }: ArgoCdArgs,
  ): void {
    const names = argoNames(platform);
    // Resolves once the whole platform is registered.
    const known = pulumi.output(Promise.resolve().then(folder)).apply(knownFolder);
    const after = this.childOptions<pulumi.CustomResourceOptions>({ dependsOn: [...releases] });
    const project = (suffix: string, projectName: string, spec: (folder: KnownFolder) => object) =>
      customResource<ArgoObject>(
        this.child(suffix),
        { apiVersion: ARGO_API, kind: "AppProject", name: projectName, namespace, spec: known.apply(spec) },
        after,
      );
    const projects = [
      // Some charts create roles in namespaces that they watch.
      project("charts", names.charts, ({ charts, extent }) => ({
        ...chartProject(platform, charts.repositories, [...charts.namespaces, ...extent.namespaces]),
        sourceNamespaces: [ARGO_CD_CHARTS_NAMESPACE],
      })),
      project("folder", names.root, ({ extent }) => folderProject(platform, source.repository, extent)),
    ];
    new kubernetes.apiextensions.CustomResource(
      this.child("root"),
      {
        apiVersion: ARGO_API,
        kind: "Application",
        metadata: {
          name: names.root,
          namespace,
          labels: standardLabels("application", names.root),
          annotations: { ...COMPARED_BY_SERVER },
          finalizers: [CASCADE],
        },
        spec: known.apply(({ loose }) => rootApplication(platform, source, ignoredDifferences(loose))),
      },
      // Deletion waits for all applied objects: models finish answers first.
      this.childOptions({
        dependsOn: [...releases, ...chartsNamespace, ...projects],
        customTimeouts: { delete: "45m" },
      }),
    );
  }
}

/** AppProjects, whose specs are checked by their own types. */
interface ArgoObject extends Manifest {
  readonly apiVersion: string;
  readonly kind: "AppProject";
  readonly spec?: object;
}
