module oracle

go 1.25.7

require (
	go.einride.tech/aip v0.86.3
	google.golang.org/genproto/googleapis/api v0.0.0-20250528174236-200df99c418a
)

require (
	google.golang.org/genproto/googleapis/rpc v0.0.0-20250528174236-200df99c418a // indirect
	google.golang.org/protobuf v1.36.6 // indirect
)
