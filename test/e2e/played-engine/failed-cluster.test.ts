import { failedClusterTests } from "./failed-cluster";

// Of Oracle Cloud at night: test/nightly/played-engine.
failedClusterTests("aws-prod", "aws:eks/cluster:Cluster", ["aws:eks/nodeGroup:NodeGroup"]);
