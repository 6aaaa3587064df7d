import StandardStages
print(PipelineVersion.release)
