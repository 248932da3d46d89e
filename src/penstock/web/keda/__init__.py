"""KEDA's external scaler: what it asks over gRPC, and what the coordinator wants, said in its words."""
