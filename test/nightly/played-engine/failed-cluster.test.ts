import { failedClusterTests } from "../../e2e/played-engine/failed-cluster";

failedClusterTests("oci-h100", "oci:ContainerEngine/cluster:Cluster", ["oci:ContainerEngine/nodePool:NodePool"]);
