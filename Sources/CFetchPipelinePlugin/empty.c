// The boundary is its header; a target needs a source.
#include "fetch_pipeline_plugin.h"
