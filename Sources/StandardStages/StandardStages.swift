@_exported import BatchIO
@_exported import ColorManagement
@_exported import CurlTransport
@_exported import FetchPipeline
@_exported import HTTPCache
@_exported import ImageCodecs
@_exported import ImageTransforms
