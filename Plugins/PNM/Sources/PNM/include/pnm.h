// The plugin exports the two functions of fetch_pipeline_plugin.h and nothing else.
